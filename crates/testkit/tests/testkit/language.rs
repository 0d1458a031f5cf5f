//! A ban list of words and phrases that made earlier comments, names and messages hard to read. See CONTRIBUTING.md, "Style".
//!
//! It covers all tracked sources and documents, including identifiers (`snake_case` is read as words). Texts written for or
//! by models, test data that imitates them, recordings and generated files are not covered.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Banned phrases with what to write instead. A phrase matches whole words and ignores case.
const BANNED: &[(&str, &str)] = &[
    ("somebody", "a caller, a user, another process"),
    ("nobody", "no caller, no user, no process"),
    ("whoever", "the caller, the client"),
    ("anybody", "any caller"),
    ("beside", "next to, with, in addition to"),
    ("is told", "receives, is informed, is reported"),
    ("are told", "receive, are informed, are reported"),
    ("was told", "received, was reported"),
    ("is not told", "does not receive"),
    ("untold", "undelivered"),
    ("so many", "the number of"),
    ("gone on with", "resumed, continued"),
    ("goes on with", "resumes, continues with"),
    ("go on with", "resume, continue with"),
    ("lives through", "replays, survives"),
    ("lived through", "replayed"),
    ("hear of", "receive, wait for"),
    ("hears of", "receives"),
    ("heard of", "received"),
    ("comes again", "reconnects, retries, repeats"),
    ("come again", "retry, reconnect"),
    ("last words", "last text"),
    ("has the last word", "takes precedence"),
    ("under way", "in flight, running"),
    ("makes no sense", "is invalid, is corrupt"),
    ("make no sense", "are invalid, are corrupt"),
    ("again and again", "repeatedly, with retries"),
    ("one's own", "its own, your own"),
    ("strangers'", "untrusted"),
    ("written down", "recorded"),
    ("written anew", "regenerated"),
    ("how things are", "the current state"),
    ("what was said", "the text"),
    ("what is said", "the text"),
    ("who they are", "the caller's identity"),
];

/// Beginnings and ends of paths that are not covered.
const SKIPPED_PREFIXES: &[&str] = &[
    "crates/agent/templates/",
    "crates/demo/incidents/",
    "crates/masking/tests/",
    "dashboard/src/api/schema.d.ts",
];
const SKIPPED_PARTS: &[&str] =
    &["/snapshots/", "/previous/", "/corpus/", "node_modules/", "package-lock.json"];
const COVERED_ENDINGS: &[&str] = &[
    "rs", "md", "ts", "tsx", "mjs", "js", "css", "html", "yaml", "yml", "toml", "proto", "json", "sh", "py",
    "service",
];
const COVERED_NAMES: &[&str] = &[
    "Makefile",
    "Dockerfile",
    "run",
    "fuzz",
    "steps",
    "with-postgres",
    "install-mcp-peers",
    "install-test-tools",
    "postgres-bin",
    "python-environment",
    "screenshots",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the paths of all tracked files, relative to the repository.
fn tracked() -> Vec<String> {
    let listed = Command::new("git").args(["ls-files"]).current_dir(root()).output().unwrap();
    assert!(listed.status.success(), "git ls-files failed");
    String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn is_covered(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_text =
        ending.is_some_and(|ending| COVERED_ENDINGS.contains(&ending)) || COVERED_NAMES.contains(&name);
    let is_skipped = SKIPPED_PREFIXES.iter().any(|prefix| path.starts_with(prefix))
        || SKIPPED_PARTS.iter().any(|part| path.contains(part))
        || path == "crates/testkit/tests/testkit/language.rs";
    is_text && !is_skipped
}

/// Lower-cases a line and separates its words by single spaces, so that `hear_of_end` reads "hear of end".
fn words_of(line: &str) -> String {
    let mut words = String::from(" ");
    for char in line.chars() {
        if char.is_alphanumeric() || char == '\'' {
            words.extend(char.to_lowercase());
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    words.push(' ');
    words
}

#[test]
fn sources_and_documents_use_plain_english() {
    let mut found = String::new();
    for path in tracked().into_iter().filter(|path| is_covered(path)) {
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            let words = words_of(line);
            for (phrase, instead) in BANNED {
                if words.contains(&format!(" {phrase} ")) {
                    writeln!(found, "{path}:{}: \"{phrase}\"; write: {instead}", number + 1).unwrap();
                }
            }
        }
    }
    assert!(found.is_empty(), "words that the style guide bans:\n{found}");
}

#[test]
fn the_ban_list_reads_identifiers_and_ignores_case() {
    assert_eq!(words_of("fn hear_of_the_end() // Nobody's"), " fn hear of the end nobody's ");
    assert!(words_of("/// Whoever calls.").contains(" whoever "));
}
