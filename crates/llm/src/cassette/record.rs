//! Records the replies of any model on a cassette.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::{StreamExt, stream};
use tarsy_domain::{Cassette, CassetteChunk, CassetteFailure, CassetteTurn};
use tracing::warn;

use super::chunk::{record_chunk, record_failure};
use super::error::CassetteError;
use super::file::save_cassette;
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin, Tags};

/// The maximum number of placeholders between two recorded turns.
const LARGEST_GAP: usize = 100;

/// The message that replaces an abandoned call.
const NOT_RECORDED: &str = "this call was given up while it was recorded";

/// A cassette that is being recorded. Several models may share it.
#[derive(Debug)]
pub struct Tape {
    path: PathBuf,
    /// Locked while a turn is added and the file is written, so that turns do not overwrite each other.
    cassette: Mutex<Cassette>,
}

impl Tape {
    /// Creates a tape. The file is written immediately, so that an unwritable path is reported early. An
    /// existing file is an error.
    pub fn new(path: PathBuf, description: &str) -> Result<Self, CassetteError> {
        if path.exists() {
            let source =
                io::Error::new(io::ErrorKind::AlreadyExists, "the file exists already; choose another name");
            return Err(CassetteError::File { path: path.display().to_string(), source });
        }
        let cassette = Cassette::new(description);
        save_cassette(&cassette, &path)?;
        Ok(Self { path, cassette: Mutex::new(cassette) })
    }

    fn add(&self, tags: &Tags, turn: CassetteTurn) -> Result<(), CassetteError> {
        let mut cassette = self.cassette.lock().unwrap_or_else(PoisonError::into_inner);
        let agent =
            if tags.stage.is_empty() { tags.agent.clone() } else { format!("{}/{}", tags.stage, tags.agent) };
        put(cassette.agents.entry(agent).or_default(), tags.turn, turn);
        save_cassette(&cassette, &self.path)
    }
}

/// Inserts a turn at its number. Calls that were abandoned leave a gap, which is filled with failures.
fn put(turns: &mut Vec<CassetteTurn>, number: u32, turn: CassetteTurn) {
    let index =
        usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1).min(turns.len() + LARGEST_GAP);
    while turns.len() <= index {
        turns.push(CassetteTurn {
            chunks: Vec::new(),
            error: Some(CassetteFailure::placeholder(NOT_RECORDED)),
        });
    }
    turns[index] = turn;
}

/// A model whose replies are recorded.
pub struct RecordedModel {
    model: Arc<dyn Model>,
    tape: Arc<Tape>,
}

impl RecordedModel {
    /// Records the replies of `model` on `tape`.
    pub fn new(model: Arc<dyn Model>, tape: Arc<Tape>) -> Self {
        Self { model, tape }
    }
}

impl Model for RecordedModel {
    fn origin(&self) -> Origin {
        self.model.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let recording = RecordedStream {
            tape: Arc::clone(&self.tape),
            tags: request.tags.clone(),
            reply: self.model.stream(request),
            turn: CassetteTurn::default(),
            last: Instant::now(),
            ended: false,
        };
        stream::unfold(recording, |mut recording| async move {
            recording.next().await.map(|chunk| (chunk, recording))
        })
        .boxed()
    }
}

struct RecordedStream {
    tape: Arc<Tape>,
    tags: Tags,
    reply: ChunkStream,
    turn: CassetteTurn,
    /// When the last chunk arrived.
    last: Instant,
    ended: bool,
}

impl RecordedStream {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let chunk = self.reply.next().await;
        match &chunk {
            Some(Ok(chunk)) => {
                let after_ms = self.pause();
                let recorded = record_chunk(chunk);
                self.turn.chunks.extend(recorded.map(|recorded| CassetteChunk { after_ms, ..recorded }));
            }
            Some(Err(error)) => {
                let after_ms = self.pause();
                self.turn.error = Some(record_failure(error, after_ms));
                self.end().await;
            }
            None => self.end().await,
        }
        chunk
    }

    /// Returns the time since the last chunk in milliseconds.
    fn pause(&mut self) -> u64 {
        let pause = std::mem::replace(&mut self.last, Instant::now()).elapsed();
        u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)
    }

    /// Writes the turn to the tape. An error is only logged, because it must not fail the call.
    async fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let (tape, tags, turn) = (Arc::clone(&self.tape), self.tags.clone(), std::mem::take(&mut self.turn));
        if turn == CassetteTurn::default() {
            return;
        }
        let written = tokio::task::spawn_blocking(move || tape.add(&tags, turn)).await;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(error)) => warn!(%error, "model reply was not recorded"),
            Err(error) => warn!(%error, "model reply was not recorded"),
        }
    }
}
