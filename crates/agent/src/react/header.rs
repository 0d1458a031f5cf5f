//! The headers of the format, and where they stand in one line.
//!
//! A header is recognised with blanks, markdown and any capitals around it at the start of a line; in the middle of
//! a line only as written in the prompt and only after the end of a sentence, because "the action: look" is prose.
//! Whether a header counts where it stands is not decided here.

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    Thought,
    Action,
    ActionInput,
    FinalAnswer,
    /// Never the model's to write: it comes from us.
    Observation,
}

/// A header in a line; all offsets are into the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FoundHeader {
    pub(super) header: Header,
    /// Where the text before it ends.
    pub(super) start: usize,
    /// Where its own text begins.
    pub(super) end: usize,
    /// Written like `action:`.
    pub(super) lower_case: bool,
    /// Written with markdown around it.
    pub(super) decorated: bool,
    /// A line that is only the header's words, without a colon.
    pub(super) bare: bool,
}

/// Markdown that may surround a header.
const DECORATION: [char; 3] = ['*', '_', '`'];
/// What may stand between a sentence and a header.
const BETWEEN: [char; 5] = ['*', '_', '`', ' ', '\t'];
/// What may follow the full stop of a sentence and still be its own.
const CLOSERS: [char; 7] = ['"', '\'', ')', ']', '”', '’', '»'];
const SENTENCE_ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];

/// The header that a line begins with.
pub(super) fn at_start(line: &str) -> Option<FoundHeader> {
    let indentation = indentation(line);
    let opened = indentation + heading(&line[indentation..]);
    let word = opened + (line[opened..].len() - line[opened..].trim_start_matches(DECORATION).len());
    let (header, length) = words(&line[word..])?;
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

/// The first header at or after `from` in the middle of a line: after the end of a sentence, or else, where
/// `beside_action` says so, an `Action Input:` that is a word of its own.
///
/// Both are looked for in one go: a line may hold many headers, and each search begins where the last one ended.
pub(super) fn in_line(line: &str, from: usize, beside_action: bool) -> Option<FoundHeader> {
    line[from..].match_indices(':').find_map(|(colon, _)| {
        let named = line[from..from + colon].trim_end_matches(DECORATION);
        let (header, start, word) = after_sentence(named)
            .or_else(|| if beside_action { input_beside_action(named) } else { None })?;
        let decorated = named[..word].ends_with(DECORATION);
        let text = &line[from + colon + 1..];
        let text = if decorated { text.trim_start_matches(DECORATION) } else { text };
        let (start, end) = (from + start, line.len() - text.len());
        Some(FoundHeader { header, start, end, lower_case: false, decorated, bare: false })
    })
}

/// The `Action` without a colon that a line like `I look at the pods.Action` ends with.
pub(super) fn trailing_action(line: &str, from: usize) -> Option<FoundHeader> {
    let before = line[from..].trim_end().trim_end_matches(DECORATION).strip_suffix("Action")?;
    let start = from + sentence_end(before)?;
    let end = line.len();
    Some(FoundHeader { header: Header::Action, start, end, lower_case: false, decorated: false, bare: true })
}

/// The header that ends a text, where the sentence before it ends, and where its words begin.
fn after_sentence(named: &str) -> Option<(Header, usize, usize)> {
    let (header, word) = header_at_end(named)?;
    Some((header, sentence_end(&named[..word])?, word))
}

fn input_beside_action(named: &str) -> Option<(Header, usize, usize)> {
    let word = named.len().checked_sub("Action Input".len())?;
    let (before, words) = named.split_at_checked(word)?;
    let is_input = words.eq_ignore_ascii_case("Action Input") && !before.ends_with(char::is_alphanumeric);
    is_input.then(|| (Header::ActionInput, before.trim_end_matches(BETWEEN).len(), word))
}

/// The blanks that a line begins with.
pub(super) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The length of a markdown heading's `## `.
fn heading(text: &str) -> usize {
    let after = text.trim_start_matches('#');
    let blanks = after.len() - after.trim_start().len();
    if after.len() < text.len() && blanks > 0 { text.len() - after.len() + blanks } else { 0 }
}

/// The header whose words `text` begins with, in any capitals, and their length.
fn words(text: &str) -> Option<(Header, usize)> {
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

/// The header whose words, spelled as in the prompt, end `text`, and where they begin.
fn header_at_end(text: &str) -> Option<(Header, usize)> {
    const WORDS: [(&str, Header); 4] = [
        ("Action Input", Header::ActionInput),
        ("Action", Header::Action),
        ("Final Answer", Header::FinalAnswer),
        ("Thought", Header::Thought),
    ];
    WORDS
        .into_iter()
        .find_map(|(words, header)| text.strip_suffix(words).map(|before| (header, before.len())))
}

/// Where the sentence ends that `text` ends with.
fn sentence_end(text: &str) -> Option<usize> {
    let sentence = text.trim_end_matches(BETWEEN);
    let stopped = sentence.trim_end_matches(CLOSERS).trim_end_matches(BETWEEN);
    stopped.ends_with(SENTENCE_ENDS).then_some(sentence.len())
}
