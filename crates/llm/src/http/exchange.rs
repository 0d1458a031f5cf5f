//! One request and its answer, as it arrives.

use std::collections::VecDeque;

use reqwest::header::HeaderMap;
use reqwest::{Client, Response};
use tarsy_domain::{ModelFailureKind, causes_of};
use url::Url;

use super::auth::Auth;
use super::sse::Events;
use crate::error::provider_bug;
use crate::patience::Patience;
use crate::said::Said;
use crate::wire::{Decode, Progress};
use crate::{Chunk, ModelError, Timeouts};

/// The most that an answer may hold; a model that writes on for ever is stopped here at the latest.
const LARGEST_ANSWER: usize = 64 * 1024 * 1024;
/// The most that is read of an answer that is not a stream.
const LARGEST_REFUSAL: usize = 64 * 1024;

/// A request as a wire wants it sent, without credentials.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HttpRequest {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// An answer that is not a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpFailure {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// Says what an answer means that is not a stream.
pub(crate) type Refusal = Box<dyn Fn(&HttpFailure) -> ModelError + Send + Sync>;

/// An exchange under way.
pub(crate) struct Exchange<D> {
    stage: Stage,
    auth: Auth,
    client: Client,
    timeouts: Timeouts,
    refusal: Refusal,
    decoder: D,
    events: Events,
    /// Chunks that have arrived and were not yet asked for.
    ready: VecDeque<Chunk>,
    /// What ended the answer, to be told after the chunks before it.
    error: Option<ModelError>,
    received: usize,
    said: Said,
}

enum Stage {
    Unsent(Box<HttpRequest>),
    Streaming { response: Box<Response>, patience: Patience },
    Ended,
}

impl<D: Decode> Exchange<D> {
    pub(crate) fn new(
        request: HttpRequest,
        decoder: D,
        auth: Auth,
        client: Client,
        timeouts: Timeouts,
        refusal: Refusal,
    ) -> Self {
        Self {
            stage: Stage::Unsent(Box::new(request)),
            auth,
            client,
            timeouts,
            refusal,
            decoder,
            events: Events::default(),
            ready: VecDeque::new(),
            error: None,
            received: 0,
            said: Said::default(),
        }
    }

    /// The next chunk; nothing after the last one or after an error.
    pub(crate) async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                self.said.add(&chunk);
                return Some(Ok(chunk));
            }
            if let Some(error) = self.error.take() {
                self.stage = Stage::Ended;
                return Some(Err(self.said.belong_to(error)));
            }
            if matches!(self.stage, Stage::Ended) {
                return None;
            }
            if let Err(error) = self.advance().await {
                self.error = Some(error);
            }
        }
    }

    async fn advance(&mut self) -> Result<(), ModelError> {
        match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Unsent(request) => {
                let patience = Patience::begin(self.timeouts);
                let response = patience.wait(self.send(*request)).await??;
                self.stage = Stage::Streaming { response: Box::new(response), patience };
                Ok(())
            }
            Stage::Streaming { response, patience } => self.read(response, patience).await,
            Stage::Ended => Ok(()),
        }
    }

    async fn send(&self, request: HttpRequest) -> Result<Response, ModelError> {
        let credentials = self.auth.headers().await?;
        let response = self
            .client
            .post(request.url)
            .headers(request.headers)
            .headers(credentials)
            .body(request.body)
            .send()
            .await
            .map_err(|error| broken(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let mut refusal = (self.refusal)(&read_refusal(response).await);
        refusal.failure.message = self.auth.hide_in(refusal.failure.message);
        Err(refusal)
    }

    /// Reads what has arrived, and puts the answer back if it goes on.
    async fn read(&mut self, mut response: Box<Response>, mut patience: Patience) -> Result<(), ModelError> {
        let arrived = patience.wait(response.chunk()).await?;
        let mut events = Vec::new();
        let Some(bytes) = arrived.map_err(|error| broken(&error))? else {
            self.events.end(&mut events)?;
            return self.finish(&events);
        };
        self.received += bytes.len();
        if self.received > LARGEST_ANSWER {
            return Err(provider_bug(format!("the reply is longer than {LARGEST_ANSWER} bytes")));
        }
        let fed = self.events.feed(&bytes, &mut events);
        let progress = self.decode(&events)?;
        if progress == Progress::Complete {
            return self.check_content();
        }
        fed?;
        if patience.has_begun() || progress == Progress::Writing || self.ready.iter().any(Chunk::is_part) {
            patience.renew();
        }
        self.stage = Stage::Streaming { response, patience };
        Ok(())
    }

    fn finish(&mut self, events: &[super::Event]) -> Result<(), ModelError> {
        if self.decode(events)? != Progress::Complete {
            let mut chunks = Vec::new();
            let ended = self.decoder.end(&mut chunks);
            self.ready.extend(chunks);
            ended?;
        }
        self.check_content()
    }

    fn decode(&mut self, events: &[super::Event]) -> Result<Progress, ModelError> {
        let (mut chunks, mut furthest) = (Vec::new(), Progress::More);
        for event in events {
            let progress = self.decoder.event(event, &mut chunks);
            self.ready.extend(chunks.drain(..));
            furthest = furthest.max(progress?);
            if furthest == Progress::Complete {
                break;
            }
        }
        Ok(furthest)
    }

    /// A reply that holds nothing an agent could go on with is no reply.
    fn check_content(&self) -> Result<(), ModelError> {
        if self.said.says_something() || self.ready.iter().any(Chunk::says_something) {
            return Ok(());
        }
        Err(ModelError::new(ModelFailureKind::EmptyReply, "the model's reply is empty"))
    }
}

async fn read_refusal(mut response: Response) -> HttpFailure {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        body.extend_from_slice(&bytes);
        if body.len() > LARGEST_REFUSAL {
            body.truncate(LARGEST_REFUSAL);
            break;
        }
    }
    HttpFailure { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
}

/// A connection that was not made or did not hold, with every cause there is; addresses may hold keys.
fn broken(error: &reqwest::Error) -> ModelError {
    let kind = if error.is_timeout() { ModelFailureKind::Timeout } else { ModelFailureKind::Network };
    let what =
        if error.is_connect() { "no connection to the model" } else { "the connection to the model broke" };
    ModelError::new(kind, format!("{what}: {}", causes_of(error)))
}
