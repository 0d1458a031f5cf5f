//! Ends a reply at a stop sequence.
//!
//! Not every API takes stop sequences, and servers that take them may ignore them. So they are applied here,
//! too: at the first one the request is cancelled, and the reply ends before it. Text that may be the start
//! of a stop sequence is held back until it is decided.

use std::sync::Arc;

use tarsy_domain::ModelFailureKind;

use crate::estimated_usage::UsageEstimate;
use crate::filtered_reply::{FilterOutput, ReplyFilter, filtered};
use crate::partial_reply::PartialReply;
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// A model whose replies end at the stop sequences of the request.
pub struct StopSequenceGuard {
    model: Arc<dyn Model>,
}

impl StopSequenceGuard {
    /// Wraps `model`.
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self { model }
    }
}

impl Model for StopSequenceGuard {
    fn origin(&self) -> Origin {
        self.model.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        if request.stop_sequences.is_empty() {
            return self.model.stream(request);
        }
        let filter = StopFilter {
            text: TextBeforeStop::new(request.stop_sequences),
            usage: UsageEstimate::new(&request),
            emitted: PartialReply::default(),
        };
        filtered(self.model.stream(request), filter)
    }
}

/// Searches a reply for stop sequences.
struct StopFilter {
    text: TextBeforeStop,
    usage: UsageEstimate,
    emitted: PartialReply,
}

impl ReplyFilter for StopFilter {
    fn receive(&mut self, chunk: Chunk, output: &mut FilterOutput) {
        self.usage.add(&chunk);
        match chunk {
            Chunk::Text(text) => {
                let TextPiece { text, is_last } = self.text.push(&text);
                self.emit_text(text, output);
                if is_last {
                    self.stop(output);
                }
            }
            // The state is the last chunk, and no text follows it.
            Chunk::State(_) => {
                self.end(output);
                self.emit(chunk, output);
            }
            Chunk::From(_)
            | Chunk::Fallback { .. }
            | Chunk::Thinking(_)
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::CutOff
            | Chunk::Usage(_) => self.emit(chunk, output),
        }
    }

    fn end(&mut self, output: &mut FilterOutput) {
        let rest = self.text.rest();
        self.emit_text(rest, output);
    }
}

impl StopFilter {
    /// Ends the reply. Its state is dropped: it would contain the removed text.
    fn stop(&mut self, output: &mut FilterOutput) {
        output.cancel();
        let usage = self.usage.usage();
        self.emit(Chunk::Usage(usage), output);
        if !self.emitted.has_content() {
            let message = "the model's reply is empty up to its stop sequence";
            let error = ModelError::new(ModelFailureKind::EmptyReply, message);
            output.emit_error(self.emitted.attach_to(error));
        }
    }

    fn emit_text(&mut self, text: String, output: &mut FilterOutput) {
        if !text.is_empty() {
            self.emit(Chunk::Text(text), output);
        }
    }

    fn emit(&mut self, chunk: Chunk, output: &mut FilterOutput) {
        self.emitted.add(&chunk);
        output.emit(chunk);
    }
}

/// Text up to the first stop sequence.
struct TextBeforeStop {
    sequences: &'static [&'static str],
    /// The end of the text, which may be the start of a stop sequence. It begins with a line end that is not
    /// part of the text: the beginning of a text is the beginning of a line.
    pending: String,
    /// Length of that line end, while it is pending.
    before_text: usize,
}

/// Text that is decided.
struct TextPiece {
    text: String,
    /// Whether a stop sequence follows it.
    is_last: bool,
}

impl TextBeforeStop {
    fn new(sequences: &'static [&'static str]) -> Self {
        Self { sequences, pending: "\n".to_owned(), before_text: 1 }
    }

    /// Adds text and returns what precedes the first possible stop sequence.
    fn push(&mut self, text: &str) -> TextPiece {
        self.pending.push_str(text);
        let found = self.sequences.iter().filter_map(|sequence| self.pending.find(sequence)).min();
        let end = found.unwrap_or_else(|| self.pending.len() - self.undecided());
        let text = self.take(end);
        if found.is_some() {
            self.pending.clear();
            self.before_text = 0;
        }
        TextPiece { text, is_last: found.is_some() }
    }

    /// Returns the text that is still pending.
    fn rest(&mut self) -> String {
        self.take(self.pending.len())
    }

    fn take(&mut self, end: usize) -> String {
        let after = self.pending.split_off(end);
        let mut text = std::mem::replace(&mut self.pending, after);
        let hidden = self.before_text.min(end);
        self.before_text -= hidden;
        text.drain(..hidden);
        text
    }

    /// Returns the length of the longest end that a stop sequence begins with.
    fn undecided(&self) -> usize {
        let begins = |sequence: &&&str| {
            let starts = sequence.char_indices().map(|(index, _)| &sequence[..index]);
            starts.filter(|start| self.pending.ends_with(start)).map(str::len).max().unwrap_or_default()
        };
        self.sequences.iter().map(|sequence| begins(&sequence)).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::TextBeforeStop;

    proptest! {
        #[test]
        fn text_ends_before_the_first_stop_sequence(text in "[\nObservation:é ]{0,60}", size in 1..9_usize) {
            const SEQUENCES: &[&str] = &["\nOb", "é :", "vv"];
            let whole = format!("\n{text}");
            let found = SEQUENCES.iter().filter_map(|sequence| whole.find(sequence)).min();
            let expected = found.map_or(text.as_str(), |end| &text[..end.saturating_sub(1)]);

            let characters: Vec<char> = text.chars().collect();
            let (mut before, mut output) = (TextBeforeStop::new(SEQUENCES), String::new());
            for piece in characters.chunks(size) {
                let piece = before.push(&piece.iter().collect::<String>());
                output.push_str(&piece.text);
                if piece.is_last {
                    break;
                }
            }
            output.push_str(&before.rest());
            prop_assert_eq!(output, expected);
        }
    }
}
