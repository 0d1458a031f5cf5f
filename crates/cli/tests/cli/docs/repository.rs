//! Files of the repository by path.

use std::path::{Path, PathBuf};

/// Returns the root directory.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Reads a file.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns whether a file or folder exists.
pub(crate) fn has(path: &str) -> bool {
    root().join(path).exists()
}

/// Returns the pages whose commands are run.
pub(crate) fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    gather(&root().join("docs"), &mut pages);
    pages
}

/// Returns all Markdown files that are documentation.
pub(crate) fn markdown() -> Vec<String> {
    let others =
        ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "packaging/README.md"].map(str::to_owned);
    pages().into_iter().chain(others).collect()
}

fn gather(folder: &Path, pages: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        }
    }
}
