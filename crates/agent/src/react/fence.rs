//! Code fences in replies: whether a line is inside a block, and unbalanced fences.
//!
//! Models fence complete replies, parts of them, and examples in an answer. Fenced parameters are handled in
//! `parameters`.

/// Tracks whether the walk is inside a fenced block of the current answer.
///
/// A fence that was opened before the answer does not belong to it: the next fence line closes it.
#[derive(Debug, Default)]
pub(super) struct Fence {
    open: bool,
    foreign: bool,
}

impl Fence {
    /// Processes one line.
    pub(super) fn line(&mut self, text: &str) {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("```")
            && !rest.contains("```")
        {
            self.open = !self.open;
            self.foreign = false;
        }
    }

    /// Starts an answer.
    pub(super) fn begin_answer(&mut self) {
        self.foreign = self.open;
    }

    /// Returns whether the next line is inside a block of the answer.
    pub(super) fn is_open(&self) -> bool {
        self.open && !self.foreign
    }
}

/// Removes the last line of a text if it is a fence whose counterpart is in another section.
pub(super) fn without_stray(text: &str) -> &str {
    let trimmed = text.trim_end();
    let last = trimmed.rfind('\n').map_or(0, |end| end + 1);
    let is_fence = |line: &str| line.trim().strip_prefix("```").is_some_and(|rest| !rest.contains("```"));
    if is_fence(&trimmed[last..]) && trimmed.lines().filter(|line| is_fence(line)).count() % 2 == 1 {
        &trimmed[..last]
    } else {
        text
    }
}
