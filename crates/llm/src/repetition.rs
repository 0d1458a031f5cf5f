//! Cuts a reply that repeats itself.
//!
//! Weak models repeat the last lines of a list until they reach their output limit. Such a reply is cut at
//! the first repetition, with a line that says so, and the request is cancelled. A reply that is nothing but
//! repetition is an error.

mod cycle;
mod tail;
mod unit;

use std::sync::Arc;

use tarsy_domain::ModelFailureKind;

use self::cycle::{CycleDetector, RepeatedPart};
use self::tail::Tail;
use crate::estimated_usage::UsageEstimate;
use crate::filtered_reply::{FilterOutput, ReplyFilter, filtered};
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// The end of a text that was cut.
const NOTE: &str = "[The model repeated itself; its text was cut here.]";

/// A model whose replies are cut when they repeat themselves.
pub struct RepetitionGuard {
    model: Arc<dyn Model>,
}

impl RepetitionGuard {
    /// Wraps `model`.
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self { model }
    }
}

impl Model for RepetitionGuard {
    fn origin(&self) -> Origin {
        self.model.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let filter = RepetitionFilter {
            usage: UsageEstimate::new(&request),
            text: GuardedText::default(),
            thinking: Tail::default(),
        };
        filtered(self.model.stream(request), filter)
    }
}

/// Searches a reply for repetitions.
struct RepetitionFilter {
    text: GuardedText,
    thinking: Tail,
    usage: UsageEstimate,
}

impl ReplyFilter for RepetitionFilter {
    fn receive(&mut self, chunk: Chunk, output: &mut FilterOutput) {
        self.usage.add(&chunk);
        match chunk {
            Chunk::Text(text) => {
                let check = self.text.push(&text);
                self.checked(check, output);
            }
            Chunk::Thinking(thinking) => {
                let repeats = self.thinking.add(&thinking);
                output.emit(Chunk::Thinking(thinking));
                if repeats {
                    self.reject(output);
                }
            }
            // The state contains the whole text, so it belongs only to a reply that is not cut.
            Chunk::State(_) => {
                let check = self.text.end();
                let is_complete = matches!(check, TextCheck::Fine(_));
                self.checked(check, output);
                if is_complete {
                    output.emit(chunk);
                }
            }
            Chunk::From(_)
            | Chunk::Fallback { .. }
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::CutOff
            | Chunk::Usage(_) => output.emit(chunk),
        }
    }

    fn end(&mut self, output: &mut FilterOutput) {
        let check = self.text.end();
        self.checked(check, output);
    }

    fn fail(&mut self, output: &mut FilterOutput) {
        output.emit_text(self.text.rest());
    }
}

impl RepetitionFilter {
    /// Emits text that was checked, and ends the reply if a repetition follows it.
    fn checked(&mut self, check: TextCheck, output: &mut FilterOutput) {
        match check {
            TextCheck::Fine(text) => output.emit_text(text),
            TextCheck::Repeats(text) => {
                output.emit_text(text);
                self.cut(output);
            }
        }
    }

    fn cut(&mut self, output: &mut FilterOutput) {
        match self.text.ending() {
            Some(ending) => {
                output.cancel();
                output.emit(Chunk::Text(ending));
                output.emit(Chunk::Usage(self.usage.usage()));
            }
            None => self.reject(output),
        }
    }

    /// Ends the reply with an error that contains the text so far.
    fn reject(&mut self, output: &mut FilterOutput) {
        output.cancel();
        self.text.held.clear();
        self.text.is_over = true;
        let message = "the model repeated itself without end and was stopped";
        let mut error = ModelError::new(ModelFailureKind::Repetition, message);
        error.failure.partial_text = std::mem::take(&mut self.text.emitted);
        error.failure.usage = self.usage.usage();
        output.emit_error(error);
    }
}

/// The text of a reply, of which the part that may be a repetition is held back.
#[derive(Default)]
struct GuardedText {
    cycles: CycleDetector,
    tail: Tail,
    emitted: String,
    held: String,
    is_over: bool,
    /// The repetition at which the text was cut.
    repeated: Option<RepeatedPart>,
}

/// The result of a check, with the text to emit.
enum TextCheck {
    Fine(String),
    Repeats(String),
}

impl GuardedText {
    fn push(&mut self, text: &str) -> TextCheck {
        if self.is_over {
            return TextCheck::Fine(String::new());
        }
        self.held.push_str(text);
        if let Some(repeated) = self.cycles.push(text) {
            return self.cut_at(repeated);
        }
        if !self.tail.add(text) {
            let decided = self.cycles.decided();
            return TextCheck::Fine(self.take(decided));
        }
        match self.cycles.pending() {
            Some(repeated) => self.cut_at(repeated),
            None => TextCheck::Repeats(self.rest()),
        }
    }

    fn end(&mut self) -> TextCheck {
        match self.cycles.end().filter(|_| !self.is_over) {
            Some(repeated) => self.cut_at(repeated),
            None => TextCheck::Fine(self.rest()),
        }
    }

    fn cut_at(&mut self, repeated: RepeatedPart) -> TextCheck {
        let text = self.take(repeated.start);
        self.held.clear();
        self.is_over = true;
        self.repeated = Some(repeated);
        TextCheck::Repeats(text)
    }

    fn rest(&mut self) -> String {
        self.take(self.emitted.len() + self.held.len())
    }

    /// Takes the text up to a position.
    fn take(&mut self, position: usize) -> String {
        let end = position.saturating_sub(self.emitted.len()).min(self.held.len());
        let after = self.held.split_off(end);
        let text = std::mem::replace(&mut self.held, after);
        self.emitted.push_str(&text);
        text
    }

    /// Returns what follows the text where it was cut, or `None` if the repetition is all there is.
    fn ending(&self) -> Option<String> {
        let repeated = self.repeated.filter(|repeated| repeated.has_content)?;
        let line_end = if self.emitted.ends_with('\n') { "" } else { "\n" };
        let fence = if repeated.is_in_code { "```\n" } else { "" };
        Some(format!("{line_end}{fence}\n{NOTE}"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test panics on unexpected results")]
mod tests {
    use proptest::prelude::*;

    use super::{GuardedText, TextCheck};

    /// Feeds a text in pieces. Returns what is emitted, and whether it was cut.
    fn emitted(text: &str, size: usize) -> (String, bool) {
        let characters: Vec<char> = text.chars().collect();
        let (mut guarded, mut output) = (GuardedText::default(), String::new());
        let pieces = characters.chunks(size.max(1)).map(|piece| piece.iter().collect::<String>());
        let checks: Vec<_> = pieces.map(|piece| guarded.push(&piece)).collect();
        for check in checks.into_iter().chain([guarded.end()]) {
            match check {
                TextCheck::Fine(more) => output.push_str(&more),
                TextCheck::Repeats(more) => return (output + &more, true),
            }
        }
        (output, false)
    }

    fn text() -> impl Strategy<Value = String> {
        let unit = prop_oneof![
            Just("- Check the logs of the pod.\n".to_owned()),
            Just("The node is full. ".to_owned()),
            Just("\n".to_owned()),
            Just("```\n".to_owned()),
            Just("Step 3: look – again.\n".to_owned()),
            Just("St".to_owned()),
            Just("| a | b |\n".to_owned()),
            (0..50_u32).prop_map(|number| format!("{number}. Restart the deployment of the shop.\n")),
            (0..50_u32).prop_map(|number| format!("web-{number} is ready\n")),
            "[ .\n*0-9a-zäé。]{0,12}",
        ];
        prop::collection::vec((unit, 1..6_usize), 0..30)
            .prop_map(|units| units.iter().map(|(unit, times)| unit.repeat(*times)).collect())
    }

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_the_pieces(text in text(), size in 1..40_usize) {
            let whole = emitted(&text, usize::MAX);
            prop_assert_eq!(&whole, &emitted(&text, size));
            prop_assert!(text.starts_with(&whole.0));
            prop_assert!(whole.1 || whole.0 == text);
        }
    }
}
