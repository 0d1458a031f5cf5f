//! The version: what is made of a repository, and that the program tells the same one everywhere.

// Its `main` is for Cargo.
#[allow(dead_code, clippy::print_stdout)]
#[path = "../../build.rs"]
mod build;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::server::Server;
use crate::tarsy::{run, tarsy, text};
use build::{Commit, version};

fn commit(is_changed: bool) -> Commit {
    Commit { id: "a1b2c3d4".to_owned(), date: "2026-11-15".to_owned(), is_changed }
}

#[test]
fn a_version_says_what_it_was_built_from() {
    let cases = [
        (None, None, "0.1.0"),
        (None, Some(commit(false)), "0.1.0 (a1b2c3d4, 2026-11-15)"),
        (None, Some(commit(true)), "0.1.0 (a1b2c3d4, 2026-11-15, with changes)"),
        (Some(""), None, "0.1.0"),
        (Some(" 0.1.0-rc1\nx"), Some(commit(true)), "0.1.0-rc1"),
    ];
    for (told, commit, expected) in cases {
        assert_eq!(version("0.1.0", told, commit.as_ref()), expected);
    }
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_COMMITTER_DATE", "2026-03-01T12:00:00Z")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).trim().to_owned()
}

/// A repository with a source, a page of prose and one commit.
fn repository() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("crates")).unwrap();
    fs::write(directory.path().join("crates/main.rs"), "one").unwrap();
    fs::write(directory.path().join("README.md"), "one").unwrap();
    git(directory.path(), &["init", "--quiet"]);
    git(directory.path(), &["add", "."]);
    git(directory.path(), &["commit", "--quiet", "--message", "One"]);
    directory
}

#[test]
fn a_commit_is_found_with_whether_its_sources_were_changed() {
    let directory = repository();
    let root = directory.path();
    let head = git(root, &["rev-parse", "HEAD"]);
    let found =
        |is_changed| Some(Commit { id: head[..8].to_owned(), date: "2026-03-01".to_owned(), is_changed });
    assert_eq!(Commit::of(root), found(false));
    fs::write(root.join("README.md"), "two").unwrap();
    assert_eq!(Commit::of(root), found(false), "prose makes no other program");
    fs::write(root.join("crates/main.rs"), "two").unwrap();
    assert_eq!(Commit::of(root), found(true));
}

#[test]
fn a_work_tree_of_a_repository_is_one_too() {
    let directory = repository();
    let beside = tempfile::tempdir().unwrap();
    let tree = beside.path().join("tree");
    git(directory.path(), &["worktree", "add", "--quiet", &tree.display().to_string()]);
    assert_eq!(Commit::of(&tree), Commit::of(directory.path()));
    assert!(Commit::of(&tree).is_some());
}

#[test]
fn sources_without_a_repository_of_their_own_have_no_commit() {
    let plain = tempfile::tempdir().unwrap();
    assert_eq!(Commit::of(plain.path()), None);
    let somebodys = repository();
    assert_eq!(Commit::of(&somebodys.path().join("crates")), None);
}

#[tokio::test]
async fn the_program_tells_the_same_version_everywhere() {
    let told = text(&run(&["--version"]).stdout);
    let version = told.strip_prefix("tarsy ").unwrap().trim_end();
    assert!(version.starts_with(env!("CARGO_PKG_VERSION")), "{version}");
    let directory = tempfile::tempdir().unwrap();
    let mut command = tarsy(&["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    let server = Server::start(command.arg(directory.path()));
    let health = server.get("/health").await;
    assert!(health.contains(&format!("\"version\":\"{version}\"")), "{health}");
    let metrics = server.get("/metrics").await;
    assert!(metrics.contains(&format!("tarsy_build_info{{version=\"{version}\"}}")), "{metrics}");
}
