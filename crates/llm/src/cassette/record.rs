//! Recording: any model can be wrapped so that its replies go onto a cassette.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt, stream};
use tracing::warn;

use super::error::CassetteError;
use super::file::{Cassette, CassetteChunk, CassetteFailure, CassetteTurn};
use crate::{Chunk, ChunkStream, Model, ModelError, ModelRequest, Origin, Tags};

/// A cassette that is being recorded; several models may record onto it.
#[derive(Debug)]
pub struct Tape {
    path: PathBuf,
    /// Held while a turn is added and the file is written, so that turns do not overwrite each other.
    cassette: Mutex<Cassette>,
}

impl Tape {
    /// An empty tape. The file is written now, so that a place that cannot be written to is known at once.
    pub fn new(path: PathBuf, description: &str) -> Result<Self, CassetteError> {
        let cassette = Cassette { description: description.to_owned(), ..Cassette::new() };
        cassette.save(&path)?;
        Ok(Self { path, cassette: Mutex::new(cassette) })
    }

    fn add(&self, tags: &Tags, turn: CassetteTurn) -> Result<(), CassetteError> {
        let mut cassette = self.cassette.lock().unwrap_or_else(PoisonError::into_inner);
        let agent =
            if tags.stage.is_empty() { tags.agent.clone() } else { format!("{}/{}", tags.stage, tags.agent) };
        cassette.agents.entry(agent).or_default().push(turn);
        cassette.save(&self.path)
    }
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
    ended: bool,
}

impl Recording {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let chunk = self.reply.next().await;
        match &chunk {
            Some(Ok(chunk)) => self.turn.chunks.extend(CassetteChunk::of(chunk)),
            Some(Err(error)) => {
                self.turn.error = Some(CassetteFailure::of(error));
                self.end().await;
            }
            None => self.end().await,
        }
        chunk
    }

    /// Puts the turn onto the tape. A recording that fails must not fail the call.
    async fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let (tape, tags, turn) = (Arc::clone(&self.tape), self.tags.clone(), std::mem::take(&mut self.turn));
        let written = tokio::task::spawn_blocking(move || tape.add(&tags, turn)).await;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(error)) => warn!("the reply is not recorded: {error}"),
            Err(error) => warn!("the reply is not recorded: {error}"),
        }
    }
}
