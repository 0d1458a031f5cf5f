//! Checks links within the repository: the file and the heading must exist.

use std::path::{Component, Path, PathBuf};

use super::markdown::Markdown;
use super::repository;

/// Returns the broken links of a Markdown file with their positions.
pub(crate) fn broken(path: &str) -> Vec<String> {
    let page = Markdown::read(&repository::read(path));
    let links = page.prose.iter().flat_map(|(line, text)| targets(text).map(move |target| (line, target)));
    let within = links.filter(|(_, target)| !target.contains("://") && !target.starts_with("mailto:"));
    within
        .filter_map(|(line, target)| Some(format!("{path}:{line}: {target}: {}", problem_of(path, target)?)))
        .collect()
}

/// Returns the targets of links and images in a line.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let between = |begin: &'static str, end: char| {
        line.split(begin).skip(1).filter_map(move |rest| rest.split(end).next())
    };
    between("](", ')').chain(between("src=\"", '"')).chain(between("srcset=\"", '"'))
}

fn problem_of(path: &str, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let file = if file.is_empty() { path.to_owned() } else { resolve(path, file) };
    if !repository::has(&file) {
        return Some(format!("{file} does not exist"));
    }
    let anchor = anchor?;
    let headings = anchors(&repository::read(&file));
    (!headings.iter().any(|heading| heading == anchor))
        .then(|| format!("{file} has no such heading; its headings are: {}", headings.join(", ")))
}

/// Resolves a path relative to a file.
fn resolve(path: &str, target: &str) -> String {
    let folder = Path::new(path).parent().unwrap();
    let mut parts = PathBuf::new();
    for part in folder.join(target).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts.display().to_string()
}

/// Returns the anchors that GitHub generates for the headings of a page.
fn anchors(text: &str) -> Vec<String> {
    let page = Markdown::read(text);
    let headings = page.prose.iter().filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|char| char.is_alphanumeric() || " -_".contains(*char));
    kept.flat_map(char::to_lowercase).map(|char| if char == ' ' { '-' } else { char }).collect()
}

#[test]
fn anchors_match_those_of_github() {
    assert_eq!(anchor("What to do when …"), "what-to-do-when-");
    assert_eq!(anchor("A session (`/sessions/{id}`)"), "a-session-sessionsid");
}

#[test]
fn finds_broken_links() {
    assert_eq!(problem_of("docs/api.md", "../README.md"), None);
    assert_eq!(problem_of("docs/api.md", "#conventions"), None);
    assert_eq!(problem_of("docs/api.md", "nowhere.md").as_deref(), Some("docs/nowhere.md does not exist"));
    assert!(problem_of("README.md", "docs/api.md#nowhere").unwrap().contains("no such heading"));
}
