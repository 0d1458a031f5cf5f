//! Stops a model that repeats itself without end.
//!
//! Only the tail is looked at: a few kilobytes that are nothing but one short piece, again and again. Prose, code,
//! tables and logs do not look like that.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;

use crate::{Assembly, Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// How much must be nothing but repetition, and of how long a piece at most: a sentence soon, a page later.
const SCALES: [Scale; 2] = [Scale { tail: 6 * 1024, piece: 512 }, Scale { tail: 48 * 1024, piece: 8 * 1024 }];
/// Looks at a scale are this part of its tail apart, so that each byte is looked at a few times only.
const LOOKS: usize = 6;

struct Scale {
    tail: usize,
    piece: usize,
}

/// A model whose replies are cut when they go in circles.
pub struct Bounded {
    model: Arc<dyn Model>,
}

impl Bounded {
    /// Watches over the replies of `model`.
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self { model }
    }
}

impl Model for Bounded {
    fn origin(&self) -> Origin {
        self.model.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let watched = Watched {
            reply: self.model.stream(request),
            text: Tail::default(),
            thinking: Tail::default(),
            said: Assembly::default(),
        };
        stream::unfold(
            watched,
            |mut watched| async move { watched.next().await.map(|chunk| (chunk, watched)) },
        )
        .boxed()
    }
}

/// A reply that is being watched.
struct Watched {
    reply: ChunkStream,
    text: Tail,
    thinking: Tail,
    said: Assembly,
}

impl Watched {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let chunk = match self.reply.next().await? {
            Ok(chunk) => chunk,
            Err(error) => return Some(Err(error)),
        };
        let circles = match &chunk {
            Chunk::Text(text) => self.text.add(text),
            Chunk::Thinking(thinking) => self.thinking.add(thinking),
            Chunk::From(_)
            | Chunk::Fallback { .. }
            | Chunk::ToolCall(_)
            | Chunk::CodeExecution(_)
            | Chunk::Grounding(_)
            | Chunk::Usage(_)
            | Chunk::State(_) => false,
        };
        self.said.add(chunk.clone());
        if circles { Some(Err(self.stop())) } else { Some(Ok(chunk)) }
    }

    /// Ends the request; what was said goes with the error.
    fn stop(&mut self) -> ModelError {
        self.reply = stream::empty().boxed();
        let message = "the model repeated itself without end and was stopped";
        let mut error = ModelError::new(ModelFailureKind::Repetition, message);
        error.failure.partial_text = std::mem::take(&mut self.said.reply.text);
        error.failure.usage = self.said.reply.usage;
        error
    }
}

/// The last that was written.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    /// What was written since the last look, for each scale.
    unseen: [usize; SCALES.len()],
}

impl Tail {
    /// Takes in more text; true if the tail is nothing but repetition.
    fn add(&mut self, text: &str) -> bool {
        self.bytes.extend_from_slice(text.as_bytes());
        let longest = SCALES.iter().map(|scale| scale.tail).max().unwrap_or_default();
        if self.bytes.len() > 2 * longest {
            self.bytes.drain(..self.bytes.len() - longest);
        }
        let mut circles = false;
        for (scale, unseen) in SCALES.iter().zip(&mut self.unseen) {
            *unseen += text.len();
            if *unseen >= scale.tail / LOOKS {
                *unseen = 0;
                circles |= scale.finds_circles_in(&self.bytes);
            }
        }
        circles
    }
}

impl Scale {
    fn finds_circles_in(&self, bytes: &[u8]) -> bool {
        bytes.len().checked_sub(self.tail).is_some_and(|start| period(&bytes[start..]) <= self.piece)
    }
}

/// The length of the shortest piece whose repetition the text is, by the borders of its beginnings.
fn period(text: &[u8]) -> usize {
    let mut borders = vec![0_usize; text.len()];
    for end in 1..text.len() {
        let mut border = borders[end - 1];
        while border > 0 && text[border] != text[end] {
            border = borders[border - 1];
        }
        borders[end] = border + usize::from(text[border] == text[end]);
    }
    text.len() - borders.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Tail, period};

    #[test]
    fn the_period_is_the_length_of_the_shortest_piece() {
        assert_eq!(period(b"abcabcabca"), 3);
        assert_eq!(period(b"aaaa"), 1);
        assert_eq!(period(b"abcd"), 4);
    }

    #[test]
    fn a_tail_of_one_sentence_is_noticed_and_a_long_log_is_not() {
        let circles = |text: &dyn Fn(usize) -> String| {
            let mut tail = Tail::default();
            (0..6_000).any(|number| tail.add(&text(number)))
        };
        assert!(circles(&|_| "I will check the pods again. ".to_owned()));
        assert!(circles(&|number| format!(
            "Step {} of the plan: look at the pods once more.\n",
            number % 100
        )));
        assert!(!circles(&|number| format!("10:02:{number} pod web-{number} is ready\n")));
    }
}
