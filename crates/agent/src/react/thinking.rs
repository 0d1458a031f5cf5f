//! The `<think>` block that some open models write before their reply.
//!
//! Headers inside it do not count. If the reply has no `Thought:` section, the block is its thought.

const TAGS: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
];

/// Returns the content of the block and the reply after it.
pub(super) fn split(reply: &str) -> (Option<&str>, &str) {
    let text = reply.trim_start();
    let opened = TAGS.iter().find_map(|(open, close)| Some((text.strip_prefix(open)?, close)));
    let Some((inside, close)) = opened else {
        return split_at_stray_end(reply);
    };
    match inside.split_once(close) {
        Some((thinking, rest)) => (Some(thinking.trim()), rest),
        // Not closed: the reply is inside the block.
        None => (None, inside),
    }
}

/// Splits a reply that has only the end of the block, because the chat template opens it in the prompt.
fn split_at_stray_end(reply: &str) -> (Option<&str>, &str) {
    let stray = TAGS.iter().find_map(|(open, close)| {
        let (thinking, rest) = reply.split_once(close)?;
        let first_line = rest.trim_start().lines().next()?;
        let is_end = super::header::at_start(first_line).is_some() && !thinking.contains(open);
        is_end.then(|| (Some(thinking.trim()), rest))
    });
    stray.unwrap_or((None, reply))
}
