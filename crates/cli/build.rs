//! Determines the version of the program: the version of the package and, if known, the commit.
//!
//! `TARSY_BUILD_VERSION` overrides it, for builds without a repository, as in a container. An error here never fails a
//! build. It runs again only if HEAD, a source or the variable changes.

use std::path::{Path, PathBuf};
use std::process::Command;

const OVERRIDE: &str = "TARSY_BUILD_VERSION";

/// The sources of the program. Uncommitted changes elsewhere do not affect the version.
const SOURCES: [&str; 5] = ["Cargo.lock", "Cargo.toml", "crates", "dashboard", "proto"];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let overridden = std::env::var(OVERRIDE).ok();
    let version = version(env!("CARGO_PKG_VERSION"), overridden.as_deref(), Commit::of(&root).as_ref());
    println!("cargo::rustc-env=TARSY_VERSION={version}");
    println!("cargo::rerun-if-env-changed={OVERRIDE}");
    println!("cargo::rerun-if-changed=build.rs");
    for path in watched(&root) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// Returns the output of `--version`.
pub(crate) fn version(package: &str, overridden: Option<&str>, commit: Option<&Commit>) -> String {
    let overridden = overridden.and_then(|text| text.lines().next()).map(str::trim);
    match (overridden.filter(|text| !text.is_empty()), commit) {
        (Some(text), _) => text.to_owned(),
        (None, None) => package.to_owned(),
        (None, Some(Commit { id, date, is_changed: false })) => format!("{package} ({id}, {date})"),
        (None, Some(Commit { id, date, is_changed: true })) => {
            format!("{package} ({id}, {date}, with changes)")
        }
    }
}

/// The commit of the sources.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) id: String,
    pub(crate) date: String,
    /// Whether the sources have uncommitted changes.
    pub(crate) is_changed: bool,
}

impl Commit {
    /// Returns the commit of the repository with this root; `None` if the directory is part of another repository.
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

/// Returns the files that change with HEAD, and the sources.
///
/// A path that does not exist would make every build run this script.
fn watched(root: &Path) -> impl Iterator<Item = PathBuf> {
    // Git writes to the second one whenever HEAD moves, on a branch and detached.
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

/// Runs git and returns its output; `None` if it fails.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(["--no-optional-locks", "-C"])
        .arg(root)
        .args(arguments)
        // A git hook that runs the build sets these for its own repository.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
