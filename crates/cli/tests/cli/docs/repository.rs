//! The files of this repository, by their paths from its root.

use std::path::{Path, PathBuf};

/// The root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The text of a file.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether there is such a file or folder.
pub(crate) fn has(path: &str) -> bool {
    root().join(path).exists()
}

/// The pages whose commands are run.
pub(crate) fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    gather(&root().join("docs"), &mut pages);
    pages
}

/// Every Markdown file that is written for people.
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
