//! Says which version is built: that of the package, and the commit that it is built from.
//!
//! `TARSY_BUILD_VERSION` says it where there is no repository, as in a container. Without either there is only the package's
//! version. Nothing here fails a build, and nothing but a new HEAD or a new source makes it run again.

use std::path::{Path, PathBuf};
use std::process::Command;

const TOLD: &str = "TARSY_BUILD_VERSION";

/// What the program is made of. A change anywhere else makes no other program.
const SOURCES: [&str; 5] = ["Cargo.lock", "Cargo.toml", "crates", "dashboard", "proto"];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let told = std::env::var(TOLD).ok();
    let version = version(env!("CARGO_PKG_VERSION"), told.as_deref(), Commit::of(&root).as_ref());
    println!("cargo::rustc-env=TARSY_VERSION={version}");
    println!("cargo::rerun-if-env-changed={TOLD}");
    println!("cargo::rerun-if-changed=build.rs");
    for path in watched(&root) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// What the program answers to `--version`.
pub(crate) fn version(package: &str, told: Option<&str>, commit: Option<&Commit>) -> String {
    let told = told.and_then(|told| told.lines().next()).map(str::trim).filter(|told| !told.is_empty());
    match (told, commit) {
        (Some(told), _) => told.to_owned(),
        (None, None) => package.to_owned(),
        (None, Some(Commit { id, date, is_changed: false })) => format!("{package} ({id}, {date})"),
        (None, Some(Commit { id, date, is_changed: true })) => {
            format!("{package} ({id}, {date}, with changes)")
        }
    }
}

/// The commit that is built.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) id: String,
    pub(crate) date: String,
    /// The sources are not what was committed.
    pub(crate) is_changed: bool,
}

impl Commit {
    /// The commit of the repository that begins in this directory; none for a part of somebody else's.
    pub(crate) fn of(root: &Path) -> Option<Self> {
        let top = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?);
        if top.canonicalize().ok()? != root.canonicalize().ok()? {
            return None;
        }
        let head = git(root, &["log", "-1", "--no-show-signature", "--abbrev=8", "--format=%h %cs"])?;
        let (id, date) = head.split_once(' ')?;
        let changed = git(root, &[&["status", "--porcelain", "--"], &SOURCES[..]].concat())?;
        Some(Self { id: id.to_owned(), date: date.to_owned(), is_changed: !changed.is_empty() })
    }
}

/// The files that say where HEAD is, and the sources, which the program is built from again anyway.
///
/// A path that does not exist would make every build run this again.
fn watched(root: &Path) -> impl Iterator<Item = PathBuf> {
    // The second one is written to whenever HEAD moves, on a branch and without one.
    let heads = ["HEAD", "logs/HEAD"]
        .into_iter()
        .filter_map(|name| git(root, &["rev-parse", "--git-path", name]))
        .map(|path| root.join(path));
    let crates = std::fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
    let sources = crates.map(|entry| entry.path().join("src")).filter(|path| !path.ends_with("testkit/src"));
    let dashboard = root.join("dashboard/dist");
    let paths: Vec<PathBuf> = heads.chain(sources).chain([dashboard]).collect();
    paths.into_iter().filter(|path| path.exists())
}

/// What git answers, if it is here and knows.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let answer = Command::new("git")
        .args(["--no-optional-locks", "-C"])
        .arg(root)
        .args(arguments)
        // Set where a hook of git started the build, and about its repository, not ours.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    answer.status.success().then(|| text.trim().to_owned())
}
