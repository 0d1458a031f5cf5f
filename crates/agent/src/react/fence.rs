//! Fences of back-ticks: which block a line stands in, and fences that lost their other end.
//!
//! Models fence whole replies, halves of them, and examples inside an answer. Fenced parameters are not opened here.

/// Whether the walk is inside a fenced block of the current answer.
///
/// A fence that was opened before the answer began is not its own: the next fence line closes it.
#[derive(Debug, Default)]
pub(super) struct Fence {
    open: bool,
    foreign: bool,
}

impl Fence {
    /// Takes one line in.
    pub(super) fn line(&mut self, text: &str) {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("```")
            && !rest.contains("```")
        {
            self.open = !self.open;
            self.foreign = false;
        }
    }

    /// Says that an answer begins here.
    pub(super) fn begin_answer(&mut self) {
        self.foreign = self.open;
    }

    /// Whether what follows is inside the answer's own block.
    pub(super) fn is_open(&self) -> bool {
        self.open && !self.foreign
    }
}

/// The text without a last line that opens or closes a fence which has its other end in another section.
pub(super) fn without_stray(text: &str) -> &str {
    let trimmed = text.trim_end();
    let last = trimmed.rfind('\n').map_or(0, |end| end + 1);
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    if is_fence(&trimmed[last..]) && trimmed.lines().filter(|line| is_fence(line)).count() % 2 == 1 {
        &trimmed[..last]
    } else {
        text
    }
}
