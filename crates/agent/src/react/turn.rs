//! The start of another turn of the conversation, which a model invents after its answer.

use super::header;

/// Control tokens of chat templates that start the turn of a user.
const TOKENS: [&str; 5] = ["<|im_start|>", "<|user|>", "<|start_header_id|>", "<|eot_id|>", "[INST]"];
/// Minimum number of words of a request.
const REQUEST_WORDS: usize = 4;

/// Returns whether a line after an answer starts another turn. `User: bob` is a line of the answer.
pub(super) fn starts(line: &str, below: &str) -> bool {
    if TOKENS.iter().any(|token| line.starts_with(token)) {
        return true;
    }
    let text = |label: &str| line.strip_prefix(label).and_then(|rest| rest.strip_prefix([':', '：']));
    if text("Question").or_else(|| text("Human")).or_else(|| text("问题")).is_some() {
        return true;
    }
    let speaker = text("User").or_else(|| text("用户"));
    speaker.is_some_and(|request| is_request(request.trim()) || reply_follows(below))
}

fn is_request(text: &str) -> bool {
    text.ends_with(['?', '？']) || text.split_whitespace().nth(REQUEST_WORDS - 1).is_some()
}

/// Returns whether the next line that is not blank is the start of a reply.
fn reply_follows(below: &str) -> bool {
    let line = below.trim_start().lines().next().unwrap_or_default();
    line.starts_with("Assistant:") || line.starts_with("AI:") || header::at_start(line).is_some()
}
