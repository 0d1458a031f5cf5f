//! The headers of the format, and their positions in a line.
//!
//! At the start of a line, a header is recognized in any case and with surrounding whitespace and Markdown.
//! In the middle of a line it is recognized only as spelled in the prompt and after the end of a sentence,
//! because "the action: look" is prose. `sections` decides whether a header counts at its position.

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
    /// End of the text before the header.
    pub(super) start: usize,
    /// Start of the text of the section.
    pub(super) end: usize,
    /// Whether it is written in lower case, as in `action:`.
    pub(super) lower_case: bool,
    /// Whether it is surrounded by Markdown.
    pub(super) decorated: bool,
    /// Whether the line consists of the header without a colon.
    pub(super) bare: bool,
}

/// Markdown characters that can surround a header.
const DECORATION: [char; 3] = ['*', '_', '`'];
/// Characters that can be between a sentence and a header.
const BETWEEN: [char; 5] = ['*', '_', '`', ' ', '\t'];
/// Characters that can follow the punctuation at the end of a sentence.
const CLOSERS: [char; 7] = ['"', '\'', ')', ']', '”', '’', '»'];
const SENTENCE_ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];

/// Returns the header at the start of a line.
pub(super) fn at_start(line: &str) -> Option<FoundHeader> {
    let indentation = indentation(line);
    let opened = indentation + heading(&line[indentation..]);
    let word = opened + (line[opened..].len() - line[opened..].trim_start_matches(DECORATION).len());
    let (header, length) = header_at_start(&line[word..])?;
    let after = line[word + length..].trim_start_matches(DECORATION).trim_start();
    let lower_case = line[word..].starts_with(|first: char| first.is_ascii_lowercase());
    let decorated = word > indentation;
    let found = |end, bare| FoundHeader { header, start: 0, end, lower_case, decorated, bare };
    if after.is_empty() {
        return (!lower_case || decorated).then(|| found(line.len(), true));
    }
    let text = after.strip_prefix([':', '：'])?;
    let text = if word > opened { text.trim_start_matches(DECORATION) } else { text };
    Some(found(line.len() - text.len(), false))
}

/// Returns the first header at or after `from` in the middle of a line: after the end of a sentence, or, if
/// `in_action`, an `Action Input:` after any word.
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
        Some(FoundHeader { header, start, end, lower_case: false, decorated, bare: false })
    })
}

/// Returns the `Action` without a colon at the end of a line such as `I look at the pods.Action`.
pub(super) fn trailing_action(line: &str, from: usize) -> Option<FoundHeader> {
    let before = line[from..].trim_end().trim_end_matches(DECORATION).strip_suffix("Action")?;
    let start = from + sentence_end(before)?;
    let end = line.len();
    Some(FoundHeader { header: Header::Action, start, end, lower_case: false, decorated: false, bare: true })
}

/// Returns the header at the end of a text, the end of the sentence before it, and the start of the header.
fn after_sentence(named: &str) -> Option<(Header, usize, usize)> {
    let (header, word) = header_at_end(named)?;
    Some((header, sentence_end(&named[..word])?, word))
}

fn input_in_action(named: &str) -> Option<(Header, usize, usize)> {
    let word = named.len().checked_sub("Action Input".len())?;
    let (before, words) = named.split_at_checked(word)?;
    let is_input = words.eq_ignore_ascii_case("Action Input") && !before.ends_with(char::is_alphanumeric);
    is_input.then(|| (Header::ActionInput, before.trim_end_matches(BETWEEN).len(), word))
}

/// Returns the indentation of a line in bytes.
pub(super) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the length of the `## ` of a Markdown heading.
fn heading(text: &str) -> usize {
    let after = text.trim_start_matches('#');
    let leading = after.len() - after.trim_start().len();
    if after.len() < text.len() && leading > 0 { text.len() - after.len() + leading } else { 0 }
}

/// Returns the header at the start of a text, in any case, and its length.
fn header_at_start(text: &str) -> Option<(Header, usize)> {
    let two = |first: &str, second: &str| {
        let rest = after_word(text, first)?;
        let rest = rest.trim_start_matches([' ', '\t', '_', '-']);
        after_word(rest, second).map(|rest| text.len() - rest.len())
    };
    let one = |word: &str| after_word(text, word).map(|rest| text.len() - rest.len());
    two("action", "input")
        .map(|length| (Header::ActionInput, length))
        .or_else(|| two("final", "answer").map(|length| (Header::FinalAnswer, length)))
        .or_else(|| one("action").map(|length| (Header::Action, length)))
        .or_else(|| one("thought").map(|length| (Header::Thought, length)))
        .or_else(|| one("observation").map(|length| (Header::Observation, length)))
}

fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
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
