//! The headers of the format, and their positions in a line.
//!
//! At the start of a line, a header is recognized in any case, with surrounding whitespace and Markdown, after a
//! bullet, quote mark or number, and with a number of its own. In the middle of a line it is recognized only as
//! spelled in the prompt and after the end of a sentence, because "the action: look" is prose. `sections` decides
//! whether a header counts at its position.

use super::label::{self, Label};

/// The kind of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    Thought,
    Action,
    ActionInput,
    FinalAnswer,
    /// A tool result. A model must not write it.
    Observation,
}

/// A header in a line, with offsets in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FoundHeader {
    pub(super) header: Header,
    /// Start of the header: end of the text before it.
    pub(super) start: usize,
    /// Start of the text of the section.
    pub(super) end: usize,
    /// Whether it is written in lower case, as in `action:`.
    pub(super) lower_case: bool,
    /// Whether it is surrounded by Markdown.
    pub(super) decorated: bool,
    /// Whether it follows a bullet, a quote mark or a number.
    pub(super) listed: bool,
    /// Whether the line consists of the header without a colon.
    pub(super) bare: bool,
    /// Whether its label can also be an ordinary word at the start of a line.
    pub(super) ordinary: bool,
}

/// Markdown characters that can surround a header.
const DECORATION: [char; 3] = ['*', '_', '`'];
/// Characters that can be between a sentence and a header.
const BETWEEN: [char; 5] = ['*', '_', '`', ' ', '\t'];
/// Characters that can follow the punctuation at the end of a sentence.
const CLOSERS: [char; 7] = ['"', '\'', ')', ']', '”', '’', '»'];
const SENTENCE_ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];
const BULLETS: [char; 8] = ['-', '*', '+', '•', '·', '–', '—', '→'];
/// Labels of an input that can follow an action in the same line.
const INPUTS_IN_ACTION: [&str; 6] =
    ["Action Input", "Tool Input", "Arguments", "Parameters", "Input", "Args"];

/// Returns the header at the start of a line.
pub(super) fn at_start(line: &str) -> Option<FoundHeader> {
    let indentation = indentation(line);
    let item = indentation + list_marks(&line[indentation..]);
    let opened = item + heading(&line[item..]);
    let word = opened + (line[opened..].len() - line[opened..].trim_start_matches(DECORATION).len());
    let Label { header, length, ordinary } = label::at_start(&line[word..])?;
    let numbered = &line[word + length..][label::number(&line[word + length..])..];
    let after = numbered.trim_start_matches(DECORATION).trim_start();
    let lower_case = line[word..].starts_with(|first: char| first.is_ascii_lowercase());
    let (decorated, listed) = (word > item, item > indentation);
    let found =
        |end, bare| FoundHeader { header, start: 0, end, lower_case, decorated, listed, bare, ordinary };
    if after.is_empty() {
        let is_label = !ordinary || (opened > item && matches!(header, Header::Action | Header::ActionInput));
        let is_header = (!lower_case || decorated) && !listed && is_label;
        return is_header.then(|| found(line.len(), true));
    }
    let text = after.strip_prefix([':', '：'])?;
    let text = if word > opened { text.trim_start_matches(DECORATION) } else { text };
    Some(found(line.len() - text.len(), false))
}

/// Returns the first header at or after `from` in the middle of a line: after the end of a sentence, or, if
/// `in_action`, the label of an input after any word.
///
/// Both are searched in one pass: a line can contain many headers, and each search starts where the last one
/// ended.
pub(super) fn in_line(line: &str, from: usize, in_action: bool) -> Option<FoundHeader> {
    line[from..].match_indices(':').find_map(|(colon, _)| {
        let named = line[from..from + colon].trim_end_matches(DECORATION);
        let (header, start, word) =
            after_sentence(named).or_else(|| if in_action { input_in_action(named) } else { None })?;
        let decorated = named[..word].ends_with(DECORATION);
        let text = &line[from + colon + 1..];
        let text = if decorated { text.trim_start_matches(DECORATION) } else { text };
        let (start, end) = (from + start, line.len() - text.len());
        Some(FoundHeader { decorated, ..in_prose(header, start, end) })
    })
}

/// Returns the `Action` without a colon at the end of a line such as `I look at the pods.Action`.
pub(super) fn trailing_action(line: &str, from: usize) -> Option<FoundHeader> {
    let before = line[from..].trim_end().trim_end_matches(DECORATION).strip_suffix("Action")?;
    let start = from + sentence_end(before)?;
    Some(FoundHeader { bare: true, ..in_prose(Header::Action, start, line.len()) })
}

/// Returns a header as spelled in the prompt.
fn in_prose(header: Header, start: usize, end: usize) -> FoundHeader {
    FoundHeader {
        header,
        start,
        end,
        lower_case: false,
        decorated: false,
        listed: false,
        bare: false,
        ordinary: false,
    }
}

/// Returns the header at the end of a text, the end of the sentence before it, and the start of the header.
fn after_sentence(named: &str) -> Option<(Header, usize, usize)> {
    let (header, word) = header_at_end(named)?;
    Some((header, sentence_end(&named[..word])?, word))
}

fn input_in_action(named: &str) -> Option<(Header, usize, usize)> {
    INPUTS_IN_ACTION.iter().find_map(|label| {
        let word = named.len().checked_sub(label.len())?;
        let (before, words) = named.split_at_checked(word)?;
        let is_label = if label.contains(' ') { words.eq_ignore_ascii_case(label) } else { words == *label };
        let is_input =
            is_label && before.ends_with(|c: char| BETWEEN.contains(&c) || c.is_ascii_punctuation());
        is_input.then(|| (Header::ActionInput, before.trim_end_matches(BETWEEN).len(), word))
    })
}

/// Returns the indentation of a line in bytes.
pub(super) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the length of the bullets, quote marks and numbers at the start of a text.
fn list_marks(text: &str) -> usize {
    let mut rest = text;
    while let Some(after) = quote_mark(rest).or_else(|| bullet(rest)).or_else(|| item_number(rest)) {
        rest = after.trim_start();
    }
    text.len() - rest.len()
}

fn quote_mark(text: &str) -> Option<&str> {
    text.strip_prefix('>')
}

/// Returns the text after a bullet, which a blank follows.
fn bullet(text: &str) -> Option<&str> {
    text.strip_prefix(BULLETS).filter(|after| after.starts_with([' ', '\t']))
}

/// Returns the text after `1.`, `2)` or `Step 3:`.
fn item_number(text: &str) -> Option<&str> {
    let step = text.strip_prefix("Step ").or_else(|| text.strip_prefix("步骤"));
    let number = step.unwrap_or(text);
    let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = number.len() - after.len();
    let end = if step.is_some() {
        after.strip_prefix([':', '.', ')', '：'])
    } else {
        after.strip_prefix(['.', ')'])
    };
    end.filter(|after| (1..=3).contains(&digits) && after.starts_with([' ', '\t', '*', '_']))
}

/// Returns the length of the `## ` of a Markdown heading.
fn heading(text: &str) -> usize {
    let after = text.trim_start_matches('#');
    let leading = after.len() - after.trim_start().len();
    if after.len() < text.len() && leading > 0 { text.len() - after.len() + leading } else { 0 }
}

/// Returns the header at the end of a text, spelled as in the prompt, and its offset.
fn header_at_end(text: &str) -> Option<(Header, usize)> {
    const HEADERS: [(&str, Header); 4] = [
        ("Action Input", Header::ActionInput),
        ("Action", Header::Action),
        ("Final Answer", Header::FinalAnswer),
        ("Thought", Header::Thought),
    ];
    HEADERS
        .into_iter()
        .find_map(|(spelling, header)| text.strip_suffix(spelling).map(|before| (header, before.len())))
}

/// Returns the end of the sentence at the end of a text.
fn sentence_end(text: &str) -> Option<usize> {
    let sentence = text.trim_end_matches(BETWEEN);
    let stopped = sentence.trim_end_matches(CLOSERS).trim_end_matches(BETWEEN);
    stopped.ends_with(SENTENCE_ENDS).then_some(sentence.len())
}
