//! The repository whose runbooks people can select: a folder on GitHub or on this machine. Pure.

use std::path::PathBuf;

use url::Url;

use super::fault::RunbookFault;

/// The scheme of runbooks in a local folder.
pub(super) const FOLDER_SCHEME: &str = "runbook:";

/// Where the runbooks are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RunbookRepository {
    /// A folder of a GitHub repository.
    Github(GithubFolder),
    /// A folder on this machine.
    Folder(PathBuf),
}

/// A folder of a GitHub repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GithubFolder {
    /// Scheme, host and port of the pages.
    pages: String,
    owner: String,
    repository: String,
    /// The branch, tag or commit; `HEAD` is the default branch.
    revision: String,
    /// The path of the folder, with a final `/`; empty for the whole repository.
    folder: String,
}

impl RunbookRepository {
    /// Parses `system.runbooks.repo_url`.
    pub(super) fn parse(text: &str) -> Result<Self, RunbookFault> {
        if !text.contains("://") {
            return Ok(Self::Folder(PathBuf::from(text)));
        }
        let url = Url::parse(text).map_err(RunbookFault::NotAnAddress)?;
        GithubFolder::parse(&url).map(Self::Github).ok_or(RunbookFault::NotARepository)
    }
}

impl GithubFolder {
    /// Parses `https://HOST/OWNER/REPOSITORY` with an optional `/tree/REVISION/FOLDER`. The revision ends at the
    /// first slash, so a branch whose name contains one is not supported.
    fn parse(url: &Url) -> Option<Self> {
        let segments: Vec<&str> = url.path_segments()?.filter(|segment| !segment.is_empty()).collect();
        let (revision, folder) = match segments.as_slice() {
            [_, _] => ("HEAD", String::new()),
            [_, _, "tree", revision] => (*revision, String::new()),
            [_, _, "tree", revision, folder @ ..] => (*revision, format!("{}/", folder.join("/"))),
            _ => return None,
        };
        let repository = segments.get(1)?;
        Some(Self {
            pages: url.origin().ascii_serialization(),
            owner: (*segments.first()?).to_owned(),
            repository: repository.strip_suffix(".git").unwrap_or(repository).to_owned(),
            revision: revision.to_owned(),
            folder,
        })
    }

    /// Returns the URL of the list of all files of the repository.
    pub(super) fn listing(&self, api: &str) -> String {
        let Self { owner, repository, revision, .. } = self;
        let api = api.trim_end_matches('/');
        format!("{api}/repos/{owner}/{repository}/git/trees/{revision}?recursive=1")
    }

    /// Returns the path below the folder of a file of the repository; `None` if it is elsewhere.
    pub(super) fn relative<'a>(&self, path: &'a str) -> Option<&'a str> {
        // The path in the URL of the folder is percent-encoded; the one in a listing is not.
        let page = self.url_of("", path)?;
        let is_below = page.path().strip_prefix(&format!("/{}", self.folder))?;
        let depth = self.folder.matches('/').count();
        path.splitn(depth + 1, '/').nth(depth).filter(|_| !is_below.is_empty())
    }

    /// Returns the URL of the page of a file below the folder.
    pub(super) fn page(&self, relative: &str) -> Option<String> {
        let Self { owner, repository, revision, folder, .. } = self;
        let before = format!("{owner}/{repository}/blob/{revision}/{folder}");
        Some(self.url_of(&before, relative)?.into())
    }

    fn url_of(&self, before: &str, path: &str) -> Option<Url> {
        let mut url = Url::parse(&format!("{}/{before}", self.pages)).ok()?;
        url.path_segments_mut().ok()?.pop_if_empty().extend(path.split('/'));
        Some(url)
    }
}

/// Returns whether a file is a runbook.
pub(super) fn is_markdown(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    [".md", ".markdown"].iter().any(|end| name.ends_with(end) && name.len() > end.len())
}

/// Returns the first heading of a Markdown text.
pub(super) fn heading(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| line.starts_with("# "))?;
    let title = line.trim_matches('#').trim();
    (!title.is_empty()).then(|| title.to_owned())
}

/// Returns a title made from the name of a file: `disk-full.md` becomes `Disk full`.
pub(super) fn title_of_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words = stem.replace(['-', '_'], " ");
    let mut characters = words.trim().chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn github(text: &str) -> GithubFolder {
        match RunbookRepository::parse(text).unwrap() {
            RunbookRepository::Github(folder) => folder,
            RunbookRepository::Folder(path) => panic!("{path:?}"),
        }
    }

    #[test]
    fn lists_a_repository_or_a_folder_of_it() {
        let api = "https://api.github.com/";
        let cases = [
            ("https://github.com/o/r", "HEAD", ""),
            ("https://github.com/o/r.git/", "HEAD", ""),
            ("https://github.com/o/r/tree/main", "main", ""),
            ("https://github.com/o/r/tree/main/ops/on%20call/", "main", "ops/on%20call/"),
        ];
        for (text, revision, folder) in cases {
            let found = github(text);
            let listing = format!("https://api.github.com/repos/o/r/git/trees/{revision}?recursive=1");
            assert_eq!((found.listing(api), found.folder.as_str()), (listing, folder), "{text}");
        }
        for text in ["https://github.com/o", "https://github.com/o/r/blob/main/a.md", "https://github.com/"] {
            assert_eq!(RunbookRepository::parse(text), Err(RunbookFault::NotARepository), "{text}");
        }
        let folder = RunbookRepository::Folder(PathBuf::from("/etc/tarsy/runbooks"));
        assert_eq!(RunbookRepository::parse("/etc/tarsy/runbooks"), Ok(folder));
    }

    #[test]
    fn a_page_can_be_fetched_as_a_runbook() {
        let folder = github("https://github.com/o/r/tree/main/on%20call");
        assert_eq!(folder.relative("on call/db/größe.md"), Some("db/größe.md"));
        assert_eq!(folder.relative("other/a.md"), None);
        let page = folder.page("db/größe.md").unwrap();
        assert_eq!(page, "https://github.com/o/r/blob/main/on%20call/db/gr%C3%B6%C3%9Fe.md");
    }

    #[test]
    fn a_title_is_the_first_heading_or_made_from_the_name() {
        assert_eq!(heading("intro\n# Disk full #\n# Other"), Some("Disk full".to_owned()));
        assert_eq!(heading("## Steps\n#!/bin/sh"), None);
        assert_eq!(title_of_name("a/disk-full_now.md"), "Disk full now");
        assert_eq!(title_of_name("--.md"), "--.md");
        let markdown = ["a.md", "A.MD", "b/c.markdown"].map(is_markdown);
        assert_eq!((markdown, ["a.txt", ".md", "md"].map(is_markdown)), ([true; 3], [false; 3]));
    }
}
