//! A model that replays a cassette.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tarsy_domain::{Cassette, CassetteTurn, ModelFailureKind};

use super::chunk::play_chunk;
use super::error::CassetteError;
use super::file::load_cassette;
use super::lookup::find_turn;
use crate::partial_reply::PartialReply;
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin};

/// The length of a chunk when text is streamed at the recorded pace.
const PIECE_CHARACTERS: usize = 12;

/// The speed at which a cassette is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayPace {
    /// With the recorded pauses.
    Recorded,
    /// Without pauses.
    Immediate,
}

/// A model that returns recorded replies. Its model name starts with `recording:`, so that it is
/// recognizable.
pub struct ReplayModel {
    origin: Origin,
    path: String,
    cassette: Arc<Cassette>,
    pace: ReplayPace,
}

impl ReplayModel {
    /// Opens a cassette.
    pub fn open(provider: &str, path: &Path, pace: ReplayPace) -> Result<Self, CassetteError> {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let origin = Origin { provider: provider.to_owned(), model: format!("recording:{name}") };
        let cassette = Arc::new(load_cassette(path)?);
        Ok(Self { origin, path: path.display().to_string(), cassette, pace })
    }
}

impl Model for ReplayModel {
    fn origin(&self) -> Origin {
        self.origin.clone()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let played = match find_turn(&self.cassette, &request.tags) {
            Ok(turn) => played(turn, request.tags.turn, self.pace, self.cassette.characters_per_second),
            Err(problem) => {
                let message = format!("cassette {}: {problem}", self.path);
                let error = ModelError::new(ModelFailureKind::InvalidRequest, message);
                VecDeque::from([(Duration::ZERO, Err(error))])
            }
        };
        let from = stream::iter([Ok(Chunk::From(self.origin()))]);
        let parts = stream::unfold(played, |mut played| async move {
            let (pause, part) = played.pop_front()?;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            Some((part, played))
        });
        from.chain(parts).boxed()
    }
}

/// A chunk or an error, with the pause before it.
type TimedChunk = (Duration, Result<Chunk, ModelError>);

/// Returns the chunks of a turn, each with the pause before it.
fn played(
    turn: &CassetteTurn,
    number: u32,
    pace: ReplayPace,
    characters_per_second: Option<u32>,
) -> VecDeque<TimedChunk> {
    let mut parts = VecDeque::new();
    let mut partial = PartialReply::default();
    for (index, recorded) in (1..).zip(&turn.chunks) {
        let Some(chunk) = play_chunk(recorded, &format!("{number}-{index}")) else { continue };
        partial.add(&chunk);
        let first = paused(pace, Duration::from_millis(recorded.after_ms));
        parts.extend(pieces(chunk, first, pace, characters_per_second));
    }
    if let Some(failure) = &turn.error {
        let error = ModelError::new(failure.kind, failure.message.clone());
        let error = error.retry_after(failure.retry_after_ms.map(Duration::from_millis));
        let error = partial.attach_to(error);
        parts.push_back((paused(pace, Duration::from_millis(failure.after_ms)), Err(error)));
    }
    parts
}

/// Splits text into small chunks, as a model streams it. Other chunks stay whole.
fn pieces(
    chunk: Chunk,
    first: Duration,
    pace: ReplayPace,
    characters_per_second: Option<u32>,
) -> Vec<TimedChunk> {
    let (text, part): (String, fn(String) -> Chunk) = match (chunk, characters_per_second) {
        (Chunk::Text(text), Some(_)) => (text, Chunk::Text),
        (Chunk::Thinking(text), Some(_)) => (text, Chunk::Thinking),
        (other, _) => return vec![(first, Ok(other))],
    };
    let speed = f64::from(characters_per_second.unwrap_or(1).max(1));
    let characters: Vec<char> = text.chars().collect();
    let pieces = characters.chunks(PIECE_CHARACTERS).enumerate();
    pieces
        .map(|(index, piece)| {
            let written = paused(pace, Duration::from_secs_f64(count(piece) / speed));
            let pause = if index == 0 { first } else { written };
            (pause, Ok(part(piece.iter().collect())))
        })
        .collect()
}

fn paused(pace: ReplayPace, pause: Duration) -> Duration {
    match pace {
        ReplayPace::Recorded => pause,
        ReplayPace::Immediate => Duration::ZERO,
    }
}

#[allow(clippy::cast_precision_loss, reason = "a dozen at most")]
fn count(piece: &[char]) -> f64 {
    piece.len() as f64
}
