//! Reads parts of a stored result: a range of lines, or the lines that match a pattern.
//!
//! This implements the `read_result` tool; the caller loads the text.

use std::fmt::Write;

use regex::RegexBuilder;

use crate::rows::rows;

/// Maximum number of context lines on each side of a match.
const MAX_CONTEXT: usize = 20;
/// Maximum size of a compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Bytes that are reserved for the last line of a page.
const FOOTER_BYTES: usize = 120;

/// What to read of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRequest {
    /// A range of lines, numbered from 1.
    Lines {
        /// The first line.
        from: usize,
        /// The last line.
        to: usize,
    },
    /// Lines that match a pattern.
    Grep(Grep),
}

/// A search in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grep {
    /// A regular expression, matched without regard to case.
    pub pattern: String,
    /// Number of lines before and after each match.
    pub context: usize,
    /// The line to start from.
    pub from: usize,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Numbered lines, and a last line that says whether there is more.
    pub text: String,
    /// The line to continue from, if there is more.
    pub next: Option<usize>,
}

/// Reads a page of at most `max_bytes`. The error explains an invalid pattern to the model.
pub fn read_page(text: &str, request: &PageRequest, max_bytes: usize) -> Result<Page, String> {
    match request {
        PageRequest::Lines { from, to } => {
            let wanted = numbered(text).skip(from.saturating_sub(1)).take_while(|(number, _)| number <= to);
            Ok(write_page(wanted, text, max_bytes))
        }
        PageRequest::Grep(grep) => search(text, grep, max_bytes),
    }
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    rows(text).enumerate().map(|(index, row)| (index + 1, row))
}

fn search(text: &str, grep: &Grep, max_bytes: usize) -> Result<Page, String> {
    let pattern = RegexBuilder::new(&grep.pattern)
        .case_insensitive(true)
        .size_limit(MAX_PATTERN_BYTES)
        .build()
        .map_err(|error| format!("the pattern is not a valid regular expression: {error}"))?;
    let context = grep.context.min(MAX_CONTEXT);
    let rows: Vec<(usize, &str)> = numbered(text).collect();
    let mut wanted = vec![false; rows.len()];
    for (index, _) in rows.iter().enumerate().filter(|(_, (_, row))| pattern.is_match(row)) {
        let end = (index + context + 1).min(rows.len());
        wanted[index.saturating_sub(context)..end].fill(true);
    }
    let found = rows.into_iter().zip(wanted).filter(|((number, _), wanted)| *wanted && *number >= grep.from);
    Ok(write_page(found.map(|(row, _)| row), text, max_bytes))
}

/// Writes rows until the page is full; gaps between rows are marked.
fn write_page<'a>(rows: impl Iterator<Item = (usize, &'a str)>, text: &str, max_bytes: usize) -> Page {
    let mut page = Page { text: String::new(), next: None };
    let mut last = None;
    for (number, row) in rows {
        let gap = if last.is_some_and(|last| last + 1 != number) { "--\n" } else { "" };
        let line = format!("{gap}{number}: {row}\n");
        if page.text.len() + line.len() + FOOTER_BYTES > max_bytes {
            page.next = Some(number);
            break;
        }
        page.text.push_str(&line);
        last = Some(number);
    }
    let total = crate::rows::rows(text).count();
    // Writing to a String cannot fail.
    let _ = match (page.next, last) {
        (Some(next), _) => write!(page.text, "[There is more: continue with line {next} of {total}.]"),
        (None, None) => write!(page.text, "[No such lines: the result has {total} lines.]"),
        (None, Some(_)) => write!(page.text, "[End: the result has {total} lines.]"),
    };
    page
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LOG: &str = "start\nGET /a\nERROR one\nGET /b\nGET /c\nGET /d\nerror two\nend";

    fn grep(pattern: &str, context: usize) -> PageRequest {
        PageRequest::Grep(Grep { pattern: pattern.to_owned(), context, from: 1 })
    }

    #[test]
    fn reads_a_range_of_lines() {
        let page = read_page(LOG, &PageRequest::Lines { from: 2, to: 3 }, 1000).unwrap();
        insta::assert_snapshot!(page.text, @r"
        2: GET /a
        3: ERROR one
        [End: the result has 8 lines.]
        ");
        let beyond = read_page(LOG, &PageRequest::Lines { from: 90, to: 99 }, 1000).unwrap();
        assert_eq!(beyond.text, "[No such lines: the result has 8 lines.]");
    }

    #[test]
    fn shows_matches_with_context() {
        insta::assert_snapshot!(read_page(LOG, &grep("^error", 1), 1000).unwrap().text, @r"
        2: GET /a
        3: ERROR one
        4: GET /b
        --
        6: GET /d
        7: error two
        8: end
        [End: the result has 8 lines.]
        ");
    }

    #[test]
    fn a_full_page_names_the_next_line() {
        let page = read_page(LOG, &PageRequest::Lines { from: 1, to: 8 }, FOOTER_BYTES + 30).unwrap();
        insta::assert_snapshot!(page.text, @r"
        1: start
        2: GET /a
        [There is more: continue with line 3 of 8.]
        ");
        assert_eq!(page.next, Some(3));
    }

    #[test]
    fn explains_an_invalid_pattern() {
        assert!(
            read_page(LOG, &grep("(", 0), 1000)
                .unwrap_err()
                .starts_with("the pattern is not a valid regular expression: ")
        );
        assert!(read_page(LOG, &grep("(a{1000}){1000}", 0), 1000).is_err());
    }

    proptest! {
        #[test]
        fn never_exceeds_the_size_limit(
            text in any::<String>(), from in 0usize..20, to in 0usize..20, most in 200usize..2000
        ) {
            let page = read_page(&text, &PageRequest::Lines { from, to }, most).unwrap();
            prop_assert!(page.text.len() <= most);
        }

        #[test]
        fn consecutive_pages_cover_the_whole_text(lines in prop::collection::vec("[a-z]{0,80}", 1..60)) {
            let text = lines.join("\n");
            let (mut from, mut read) = (1, Vec::new());
            loop {
                let page = read_page(&text, &PageRequest::Lines { from, to: usize::MAX }, 400).unwrap();
                let rows = page.text.lines().filter(|line| !line.starts_with('['));
                read.extend(rows.map(|line| line.split_once(": ").unwrap().1.to_owned()));
                match page.next {
                    Some(next) => from = next,
                    None => break,
                }
            }
            prop_assert_eq!(read, text.lines().map(str::to_owned).collect::<Vec<_>>());
        }
    }
}
