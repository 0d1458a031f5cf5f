//! The list of runbooks: files of a GitHub repository or of a local folder.

use std::fs;
use std::path::Path;

use tarsy_engine::{Runbook, RunbookFile, Runbooks};

use super::runbook_server::{RunbookServer, ServedResponse};
use super::{runbooks_with, text};

const TREE: &str = r#"{"sha": "1", "truncated": false, "tree": [
    {"path": "alerts", "type": "tree"},
    {"path": "alerts/disk-full.md", "type": "blob", "size": 10},
    {"path": "alerts/db/slow_query.MD", "type": "blob"},
    {"path": "alerts/script.sh", "type": "blob"},
    {"path": "alerts.md", "type": "blob"},
    {"path": "README.md", "type": "blob"}
]}"#;

fn on_github(server: &RunbookServer, repo_url: &str, ttl: &str) -> Runbooks {
    let api = format!("http://{}", server.host);
    let settings = format!("repo_url: '{repo_url}', cache_ttl: {ttl}");
    super::runbooks_of(&format!("api_url: '{api}/', token_env: TOKEN"), &settings, "").unwrap()
}

fn file(path: &str, title: &str, url: &str) -> RunbookFile {
    RunbookFile { path: path.to_owned(), title: title.to_owned(), url: url.to_owned() }
}

fn in_folder(folder: &Path) -> Runbooks {
    runbooks_with(&format!("repo_url: '{}', cache_ttl: 0s", folder.display()), "").unwrap()
}

fn write(folder: &Path, path: &str, text: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

#[tokio::test]
async fn lists_the_markdown_files_of_a_repository_folder() {
    let path = "/repos/o/r/git/trees/main";
    let server = RunbookServer::start([(path, ServedResponse::typed("application/json", TREE))]).await;
    let runbooks = on_github(&server, "https://github.com/o/r/tree/main/alerts", "1m");
    for _ in 0..2 {
        let listed = runbooks.list().await;
        assert_eq!(listed.error, None);
        assert_eq!(
            listed.files,
            [
                file(
                    "db/slow_query.MD",
                    "Slow query",
                    "https://github.com/o/r/blob/main/alerts/db/slow_query.MD"
                ),
                file("disk-full.md", "Disk full", "https://github.com/o/r/blob/main/alerts/disk-full.md"),
            ]
        );
        assert_eq!(
            (listed.source.as_deref(), listed.truncated),
            (Some("https://github.com/o/r/tree/main/alerts"), false)
        );
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 1, "the list is cached");
    assert!(requests[0].contains("authorization: bearer secret-token\r\n"), "{requests:?}");
}

#[tokio::test]
async fn follows_a_renamed_repository_within_the_api() {
    let server = RunbookServer::start([
        ("/repos/o/r/git/trees/head", ServedResponse::redirect("/repositories/7/trees")),
        ("/repositories/7/trees", ServedResponse::typed("application/json", TREE)),
        ("/repos/o/away/git/trees/head", ServedResponse::redirect("https://example.com/x")),
    ])
    .await;
    assert_eq!(on_github(&server, "https://github.com/o/r", "1m").list().await.files.len(), 4);
    let away = on_github(&server, "https://github.com/o/away", "1m").list().await;
    assert_eq!(away.error.as_deref(), Some("the server sent a redirect without a valid location"));
}

#[tokio::test]
async fn a_long_list_is_truncated() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..1001 {
        write(folder.path(), &format!("{number:04}.md"), "# Title");
    }
    let listed = in_folder(folder.path()).list().await;
    let last = listed.files.last().map(|file| file.path.as_str());
    assert_eq!((listed.files.len(), listed.truncated, last), (1000, true, Some("0999.md")));

    let tree = r#"{"truncated": true, "tree": [{"path": "a.md", "type": "blob"}]}"#;
    let response = ServedResponse::typed("application/json", tree);
    let server = RunbookServer::start([("/repos/o/r/git/trees/head", response)]).await;
    let listed = on_github(&server, "https://github.com/o/r", "1m").list().await;
    assert_eq!((listed.files.len(), listed.truncated), (1, true));
}

#[tokio::test]
async fn reports_why_a_repository_cannot_be_listed() {
    let server = RunbookServer::start([
        ("/repos/o/private/git/trees/head", ServedResponse::status("404 Not Found")),
        ("/repos/o/odd/git/trees/head", ServedResponse::typed("application/json", "[]")),
    ])
    .await;
    let cases = [
        (
            "https://github.com/o/private",
            "the server returned 404 Not Found: the file does not exist, or the token in `TOKEN` has no access to it",
        ),
        ("https://github.com/o/odd", "the list of files is not valid: "),
        ("https://github.com/o", "`system.runbooks.repo_url` is not a GitHub repository"),
        ("/does/not/exist", "cannot read it: "),
    ];
    for (repo_url, expected) in cases {
        let listed = on_github(&server, repo_url, "1m").list().await;
        assert!(listed.files.is_empty());
        let error = listed.error.unwrap_or_default();
        assert!(error.starts_with(expected), "{repo_url}: {error}");
    }
    let unset = runbooks_with("", "").unwrap().list().await;
    assert_eq!(unset, tarsy_engine::RunbookCatalog::default());
}

#[tokio::test]
async fn lists_and_reads_the_files_of_a_local_folder() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "b/disk.md", "intro\n# Disk full\nsteps");
    write(folder.path(), "a.markdown", "no heading");
    write(folder.path(), "notes.txt", "# Notes");
    write(folder.path(), ".git/x.md", "# Hidden");
    let runbooks = in_folder(folder.path());
    let listed = runbooks.list().await;
    assert_eq!(
        listed.files,
        [file("a.markdown", "A", "runbook:a.markdown"), file("b/disk.md", "Disk full", "runbook:b/disk.md")]
    );
    assert_eq!(runbooks.obtain(Some("runbook:b/disk.md")).await, text("intro\n# Disk full\nsteps"));
    assert_eq!(runbooks.obtain(Some(" Runbook:a.markdown\n")).await, text("no heading"));
}

#[tokio::test]
async fn lists_the_files_of_a_mounted_config_map() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "..2026_11_16/disk.md", "# Disk full");
    std::os::unix::fs::symlink("..2026_11_16", folder.path().join("..data")).unwrap();
    std::os::unix::fs::symlink("..data/disk.md", folder.path().join("disk.md")).unwrap();
    let runbooks = in_folder(folder.path());
    assert_eq!(runbooks.list().await.files, [file("disk.md", "Disk full", "runbook:disk.md")]);
    assert_eq!(runbooks.obtain(Some("runbook:disk.md")).await, text("# Disk full"));
}

#[tokio::test]
async fn nothing_outside_of_the_folder_is_read() {
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.md", "# Secret");
    let folder = outside.path().join("runbooks");
    write(&folder, "a.md", "# A");
    write(&folder, "large.md", &"a".repeat(1024 * 1024 + 1));
    write(&folder, ".draft.md", "# Draft");
    write(&folder, ".git/x.md", "# X");
    let pipe = std::process::Command::new("mkfifo").arg(folder.join("pipe.md")).status().unwrap();
    assert!(pipe.success());
    std::os::unix::fs::symlink(outside.path().join("secret.md"), folder.join("link.md")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.join("linked")).unwrap();
    let runbooks = in_folder(&folder);
    let paths: Vec<String> = runbooks.list().await.files.into_iter().map(|file| file.path).collect();
    assert_eq!(paths, ["a.md", "large.md"]);
    let absolute = format!("runbook:{}", outside.path().join("secret.md").display());
    let cases = [
        ("runbook:../secret.md", "it is not a file of the folder"),
        ("runbook:link.md", "it is not a file of the folder"),
        ("runbook:linked/secret.md", "it is not a file of the folder"),
        (absolute.as_str(), "it is not a file of the folder"),
        ("runbook:", "it is not a file of the folder"),
        ("runbook:.draft.md", "it is not a file of the folder"),
        ("runbook:.git/x.md", "it is not a file of the folder"),
        ("runbook:pipe.md", "it is not a file of the folder"),
        ("runbook:missing.md", "cannot read it: "),
        ("runbook:large.md", "it has more than 1048576 bytes"),
    ];
    for (named, fault) in cases {
        let Runbook { text, warning } = runbooks.obtain(Some(named)).await;
        let warning = warning.unwrap_or_default();
        assert!(text.is_none() && warning.contains(fault), "{named}: {warning}");
    }
    let without = runbooks_with("", "").unwrap().obtain(Some("runbook:a.md")).await;
    assert!(without.warning.unwrap().contains("there is no folder with runbooks"));
}
