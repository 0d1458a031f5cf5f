//! Recording: any model can be wrapped so that its replies go onto a cassette.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::{StreamExt, stream};
use tracing::warn;

use super::error::CassetteError;
use super::file::{Cassette, CassetteChunk, CassetteFailure, CassetteTurn};
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin, Tags};

/// More calls than this between two recorded ones are a mistake.
const LARGEST_GAP: usize = 100;

/// A cassette that is being recorded; several models may record onto it.
#[derive(Debug)]
pub struct Tape {
    path: PathBuf,
    /// Held while a turn is added and the file is written, so that turns do not overwrite each other.
    cassette: Mutex<Cassette>,
}

impl Tape {
    /// An empty tape. The file is written now, so that a place that cannot be written to is known at once; one that is
    /// there already is left alone.
    pub fn new(path: PathBuf, description: &str) -> Result<Self, CassetteError> {
        if path.exists() {
            let source =
                io::Error::new(io::ErrorKind::AlreadyExists, "there is a file already; choose another name");
            return Err(CassetteError::File { path: path.display().to_string(), source });
        }
        let cassette = Cassette { description: description.to_owned(), ..Cassette::new() };
        cassette.save(&path)?;
        Ok(Self { path, cassette: Mutex::new(cassette) })
    }

    fn add(&self, tags: &Tags, turn: CassetteTurn) -> Result<(), CassetteError> {
        let mut cassette = self.cassette.lock().unwrap_or_else(PoisonError::into_inner);
        let agent =
            if tags.stage.is_empty() { tags.agent.clone() } else { format!("{}/{}", tags.stage, tags.agent) };
        put(cassette.agents.entry(agent).or_default(), tags.turn, turn);
        cassette.save(&self.path)
    }
}

/// Puts a turn in its place. Calls that were given up leave a gap, which says so when it is played.
fn put(turns: &mut Vec<CassetteTurn>, number: u32, turn: CassetteTurn) {
    let index =
        usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1).min(turns.len() + LARGEST_GAP);
    while turns.len() <= index {
        turns.push(CassetteTurn { chunks: Vec::new(), error: Some(CassetteFailure::not_recorded()) });
    }
    turns[index] = turn;
}

/// A model whose replies are recorded.
pub struct Recorded {
    model: Arc<dyn Model>,
    tape: Arc<Tape>,
}

impl Recorded {
    /// Records what `model` says onto `tape`.
    pub fn new(model: Arc<dyn Model>, tape: Arc<Tape>) -> Self {
        Self { model, tape }
    }
}

impl Model for Recorded {
    fn origin(&self) -> Origin {
        self.model.origin()
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        let recording = Recording {
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

struct Recording {
    tape: Arc<Tape>,
    tags: Tags,
    reply: ChunkStream,
    turn: CassetteTurn,
    /// When the last part came.
    last: Instant,
    ended: bool,
}

impl Recording {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let chunk = self.reply.next().await;
        match &chunk {
            Some(Ok(chunk)) => {
                let after_ms = self.pause();
                let recorded = CassetteChunk::of(chunk);
                self.turn.chunks.extend(recorded.map(|recorded| CassetteChunk { after_ms, ..recorded }));
            }
            Some(Err(error)) => {
                let after_ms = self.pause();
                self.turn.error = Some(CassetteFailure { after_ms, ..CassetteFailure::of(error) });
                self.end().await;
            }
            None => self.end().await,
        }
        chunk
    }

    /// How long the part took to come.
    fn pause(&mut self) -> u64 {
        let pause = std::mem::replace(&mut self.last, Instant::now()).elapsed();
        u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)
    }

    /// Puts the turn onto the tape. A recording that fails must not fail the call.
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
            Ok(Err(error)) => warn!("the reply is not recorded: {error}"),
            Err(error) => warn!("the reply is not recorded: {error}"),
        }
    }
}
