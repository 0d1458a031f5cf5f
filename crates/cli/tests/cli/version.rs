//! The version: how it is determined, and that the program reports it consistently.

// Cargo runs its `main`.
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
fn a_version_contains_the_commit() {
    let cases = [
        (None, None, "0.1.0"),
        (None, Some(commit(false)), "0.1.0 (a1b2c3d4, 2026-11-15)"),
        (None, Some(commit(true)), "0.1.0 (a1b2c3d4, 2026-11-15, with changes)"),
        (Some(""), None, "0.1.0"),
        (Some(" 0.1.0-rc1\nx"), Some(commit(true)), "0.1.0-rc1"),
    ];
    for (overridden, commit, expected) in cases {
        assert_eq!(version("0.1.0", overridden, commit.as_ref()), expected);
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

/// Creates a repository with a source, a README and one commit.
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
fn finds_the_commit_and_uncommitted_changes() {
    let directory = repository();
    let root = directory.path();
    let head = git(root, &["rev-parse", "HEAD"]);
    let found =
        |is_changed| Some(Commit { id: head[..8].to_owned(), date: "2026-03-01".to_owned(), is_changed });
    assert_eq!(Commit::of(root), found(false));
    fs::write(root.join("README.md"), "two").unwrap();
    assert_eq!(Commit::of(root), found(false), "a change of documentation does not count");
    fs::write(root.join("crates/main.rs"), "two").unwrap();
    assert_eq!(Commit::of(root), found(true));
}

#[test]
fn finds_the_commit_of_a_worktree() {
    let directory = repository();
    let directory_of_tree = tempfile::tempdir().unwrap();
    let tree = directory_of_tree.path().join("tree");
    git(directory.path(), &["worktree", "add", "--quiet", &tree.display().to_string()]);
    assert_eq!(Commit::of(&tree), Commit::of(directory.path()));
    assert!(Commit::of(&tree).is_some());
}

#[test]
fn a_directory_inside_another_repository_has_no_commit() {
    let plain = tempfile::tempdir().unwrap();
    assert_eq!(Commit::of(plain.path()), None);
    let other = repository();
    assert_eq!(Commit::of(&other.path().join("crates")), None);
}

#[tokio::test]
async fn reports_the_same_version_everywhere() {
    let output = text(&run(&["--version"]).stdout);
    let version = output.strip_prefix("tarsy ").unwrap().trim_end();
    assert!(version.starts_with(env!("CARGO_PKG_VERSION")), "{version}");
    let directory = tempfile::tempdir().unwrap();
    let mut command = tarsy(&["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    let server = Server::start(command.arg(directory.path()));
    let health = server.get("/health").await;
    assert!(health.contains(&format!("\"version\":\"{version}\"")), "{health}");
    let metrics = server.get("/metrics").await;
    assert!(metrics.contains(&format!("tarsy_build_info{{version=\"{version}\"}}")), "{metrics}");
}
