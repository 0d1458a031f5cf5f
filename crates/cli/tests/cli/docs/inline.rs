//! Checks the arguments of `tarsy` commands in inline code.

use super::markdown::Markdown;
use super::repository;
use super::unrunnable::check_arguments;

/// Returns the invalid commands of a page with their positions.
pub(crate) fn invalid_commands(path: &str) -> Vec<String> {
    let page = Markdown::read(&repository::read(path));
    let spans = page
        .code_spans()
        .into_iter()
        .filter(|(_, span)| span.starts_with("tarsy ") && is_single_command(span));
    spans
        .filter_map(|(line, span)| Some(format!("{path}:{line}: `{span}`: {}", check_arguments(span).err()?)))
        .collect()
}

/// Returns whether the text is a single command. Placeholders in capitals are valid arguments.
fn is_single_command(span: &str) -> bool {
    !span.contains(['|', '>', '<', ';', '&', '…', '$'])
}
