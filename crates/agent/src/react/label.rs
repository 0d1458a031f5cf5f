//! The labels of headers: those of the prompt, and the other words that models use for them.

use super::header::Header;

/// A label at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) header: Header,
    /// Number of bytes.
    pub(super) length: usize,
    /// Whether the label can also be an ordinary word at the start of a line.
    pub(super) ordinary: bool,
}

/// Whether a label is only used for a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelUse {
    Header,
    Ordinary,
}

/// The labels in lower case; of two with the same beginning, the longer one is first.
const LABELS: [(&[&str], Header, LabelUse); 46] = [
    (&["action", "input"], Header::ActionInput, LabelUse::Header),
    (&["action", "arguments"], Header::ActionInput, LabelUse::Header),
    (&["action", "parameters"], Header::ActionInput, LabelUse::Header),
    (&["action", "name"], Header::Action, LabelUse::Ordinary),
    (&["action"], Header::Action, LabelUse::Header),
    (&["tool", "input"], Header::ActionInput, LabelUse::Header),
    (&["tool", "arguments"], Header::ActionInput, LabelUse::Header),
    (&["tool", "args"], Header::ActionInput, LabelUse::Header),
    (&["tool", "parameters"], Header::ActionInput, LabelUse::Header),
    (&["tool", "name"], Header::Action, LabelUse::Ordinary),
    (&["tool", "call"], Header::Action, LabelUse::Ordinary),
    (&["tool"], Header::Action, LabelUse::Ordinary),
    (&["function", "name"], Header::Action, LabelUse::Ordinary),
    (&["function", "call"], Header::Action, LabelUse::Ordinary),
    (&["function"], Header::Action, LabelUse::Ordinary),
    (&["input", "parameters"], Header::ActionInput, LabelUse::Ordinary),
    (&["input"], Header::ActionInput, LabelUse::Ordinary),
    (&["parameters"], Header::ActionInput, LabelUse::Ordinary),
    (&["params"], Header::ActionInput, LabelUse::Ordinary),
    (&["arguments"], Header::ActionInput, LabelUse::Ordinary),
    (&["args"], Header::ActionInput, LabelUse::Ordinary),
    (&["final", "answer"], Header::FinalAnswer, LabelUse::Header),
    (&["final", "response"], Header::FinalAnswer, LabelUse::Ordinary),
    (&["final", "analysis"], Header::FinalAnswer, LabelUse::Ordinary),
    (&["final", "conclusion"], Header::FinalAnswer, LabelUse::Ordinary),
    (&["final", "report"], Header::FinalAnswer, LabelUse::Ordinary),
    (&["answer"], Header::FinalAnswer, LabelUse::Ordinary),
    (&["conclusion"], Header::FinalAnswer, LabelUse::Ordinary),
    (&["thought"], Header::Thought, LabelUse::Header),
    (&["observation"], Header::Observation, LabelUse::Header),
    (&["思考"], Header::Thought, LabelUse::Header),
    (&["想法"], Header::Thought, LabelUse::Header),
    (&["行动输入"], Header::ActionInput, LabelUse::Header),
    (&["动作输入"], Header::ActionInput, LabelUse::Header),
    (&["工具输入"], Header::ActionInput, LabelUse::Header),
    (&["输入参数"], Header::ActionInput, LabelUse::Ordinary),
    (&["参数"], Header::ActionInput, LabelUse::Ordinary),
    (&["行动"], Header::Action, LabelUse::Ordinary),
    (&["动作"], Header::Action, LabelUse::Ordinary),
    (&["工具名称"], Header::Action, LabelUse::Ordinary),
    (&["工具"], Header::Action, LabelUse::Ordinary),
    (&["观察"], Header::Observation, LabelUse::Header),
    (&["最终答案"], Header::FinalAnswer, LabelUse::Header),
    (&["最终回答"], Header::FinalAnswer, LabelUse::Header),
    (&["答案"], Header::FinalAnswer, LabelUse::Ordinary),
    (&["结论"], Header::FinalAnswer, LabelUse::Ordinary),
];

/// Returns the label at the start of a text, in any case.
pub(super) fn at_start(text: &str) -> Option<Label> {
    LABELS.iter().find_map(|(words, header, usage)| {
        let length = words_at_start(text, words)?;
        Some(Label { header: *header, length, ordinary: *usage == LabelUse::Ordinary })
    })
}

/// Returns the length of the number of a header, as in `Action 2:`, `Action #2:` and `Action (2):`.
pub(super) fn number(text: &str) -> usize {
    let opened = text.trim_start_matches([' ', '\t', '#', '(', '[']);
    let after = opened.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == opened.len() || opened.len() - after.len() > 3 {
        return 0;
    }
    text.len() - after.trim_start_matches([')', ']']).len()
}

fn words_at_start(text: &str, words: &[&str]) -> Option<usize> {
    let mut rest = text;
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            rest = rest.trim_start_matches([' ', '\t', '_', '-']);
        }
        let (head, after) = rest.split_at_checked(word.len())?;
        rest = if head.eq_ignore_ascii_case(word) { after } else { return None };
    }
    Some(text.len() - rest.len())
}
