//! Commands between the lines: what the prose says to `tarsy` must be understood too.

use super::console::understood;
use super::markdown::Markdown;
use super::repository;

/// Those of a page that are not understood, each with its place.
pub(crate) fn misunderstood(path: &str) -> Vec<String> {
    let page = Markdown::read(&repository::read(path));
    let spans =
        page.code_spans().into_iter().filter(|(_, span)| span.starts_with("tarsy ") && is_plain(span));
    spans
        .filter_map(|(line, span)| Some(format!("{path}:{line}: `{span}`: {}", understood(span).err()?)))
        .collect()
}

/// Whether it is one command and nothing else. Words in capitals stand for something, and are arguments like any other.
fn is_plain(span: &str) -> bool {
    !span.contains(['|', '>', '<', ';', '&', '…', '$'])
}
