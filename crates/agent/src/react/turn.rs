//! The start of another turn of the conversation, which a model invents after its answer.

use super::header::{self, Header};

/// Control tokens of chat templates that start the turn of a user.
const TOKENS: [&str; 5] = ["<|im_start|>", "<|user|>", "<|start_header_id|>", "<|eot_id|>", "[INST]"];

/// A line that can be the start of a turn of the user, or a line of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnLabel {
    /// `Question:` or `Human:`, or a request of a user.
    Request,
    /// `User:` with a text that is no question, as in `User: bob`.
    Name,
}

/// Returns whether a line starts another turn in any case.
pub(super) fn starts_with_token(line: &str) -> bool {
    TOKENS.iter().any(|token| line.starts_with(token))
}

/// Returns the label of a turn at the start of a line.
pub(super) fn label(line: &str) -> Option<TurnLabel> {
    let text = |label: &str| line.strip_prefix(label).and_then(|rest| rest.strip_prefix([':', '：']));
    if text("Question").or_else(|| text("Human")).or_else(|| text("问题")).is_some() {
        return Some(TurnLabel::Request);
    }
    let request = text("User").or_else(|| text("用户"))?;
    let is_question = request.trim_end().ends_with(['?', '？']);
    Some(if is_question { TurnLabel::Request } else { TurnLabel::Name })
}

/// Returns the offset of the last line that starts a reply of the model.
pub(super) fn last_reply(text: &str) -> Option<usize> {
    let mut start = 0;
    let mut last = None;
    for line in text.split_inclusive('\n') {
        if starts_reply(line) {
            last = Some(start);
        }
        start += line.len();
    }
    last
}

/// Returns whether a line starts a reply or a part of one. `Action:` does not: it is also a word of reports.
fn starts_reply(line: &str) -> bool {
    if line.starts_with("Assistant:") || line.starts_with("AI:") {
        return true;
    }
    header::at_start(line.trim_end()).is_some_and(|found| {
        let in_style =
            !found.ordinary && !found.listed && !found.decorated && !found.bare && !found.lower_case;
        in_style
            && match found.header {
                Header::Thought | Header::ActionInput | Header::FinalAnswer => true,
                Header::Action | Header::Observation => false,
            }
    })
}
