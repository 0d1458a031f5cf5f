//! One request and its response, as it arrives.

use std::collections::VecDeque;

use reqwest::header::HeaderMap;
use reqwest::{Client, Response};
use tarsy_domain::{ModelFailureKind, causes_of};
use url::Url;

use super::SseEvent;
use super::auth::Auth;
use super::sse::SseParser;
use crate::deadlines::CallDeadlines;
use crate::error::provider_bug;
use crate::partial_reply::PartialReply;
use crate::wire::{Decode, StreamProgress};
use crate::{Chunk, ModelError, Timeouts};

/// Maximum size of a response; stops a model that never stops writing.
const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;
/// Maximum number of bytes that are read of an error response.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// A request of a wire, without credentials.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HttpRequest {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// A response with an error status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpFailure {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// Converts an error response to an error.
pub(crate) type ReadFailure = Box<dyn Fn(&HttpFailure) -> ModelError + Send + Sync>;

/// A request in flight.
pub(crate) struct HttpExchange<D> {
    state: ExchangeState,
    auth: Auth,
    client: Client,
    timeouts: Timeouts,
    read_failure: ReadFailure,
    decoder: D,
    events: SseParser,
    /// Chunks that have not been returned yet.
    ready: VecDeque<Chunk>,
    /// The error that ended the response; returned after the chunks before it.
    error: Option<ModelError>,
    received: usize,
    emitted: PartialReply,
}

enum ExchangeState {
    Unsent(Box<HttpRequest>),
    Streaming { response: Box<Response>, deadlines: CallDeadlines },
    Ended,
}

impl<D: Decode> HttpExchange<D> {
    pub(crate) fn new(
        request: HttpRequest,
        decoder: D,
        auth: Auth,
        client: Client,
        timeouts: Timeouts,
        read_failure: ReadFailure,
    ) -> Self {
        Self {
            state: ExchangeState::Unsent(Box::new(request)),
            auth,
            client,
            timeouts,
            read_failure,
            decoder,
            events: SseParser::default(),
            ready: VecDeque::new(),
            error: None,
            received: 0,
            emitted: PartialReply::default(),
        }
    }

    /// Returns the next chunk; `None` after the last one or after an error.
    pub(crate) async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                self.emitted.add(&chunk);
                return Some(Ok(chunk));
            }
            if let Some(mut error) = self.error.take() {
                self.state = ExchangeState::Ended;
                error.failure.message = self.auth.redact(error.failure.message);
                return Some(Err(self.emitted.attach_to(error)));
            }
            if matches!(self.state, ExchangeState::Ended) {
                return None;
            }
            if let Err(error) = self.advance().await {
                self.error = Some(error);
            }
        }
    }

    async fn advance(&mut self) -> Result<(), ModelError> {
        match std::mem::replace(&mut self.state, ExchangeState::Ended) {
            ExchangeState::Unsent(request) => {
                let deadlines = CallDeadlines::start(self.timeouts);
                let response = deadlines.wait(self.send(*request)).await??;
                self.state = ExchangeState::Streaming { response: Box::new(response), deadlines };
                Ok(())
            }
            ExchangeState::Streaming { response, deadlines } => self.read(response, deadlines).await,
            ExchangeState::Ended => Ok(()),
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
            .map_err(|error| connection_error(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err((self.read_failure)(&read_error_response(response).await))
    }

    /// Reads what has arrived, and keeps the response if it continues.
    async fn read(
        &mut self,
        mut response: Box<Response>,
        mut deadlines: CallDeadlines,
    ) -> Result<(), ModelError> {
        let received = deadlines.wait(response.chunk()).await?;
        let mut events = Vec::new();
        let Some(bytes) = received.map_err(|error| connection_error(&error))? else {
            self.events.end(&mut events)?;
            return self.finish(&events);
        };
        self.received += bytes.len();
        if self.received > MAX_RESPONSE_BYTES {
            return Err(provider_bug(format!("the reply is longer than {MAX_RESPONSE_BYTES} bytes")));
        }
        let fed = self.events.feed(&bytes, &mut events);
        let progress = self.decode(&events)?;
        if progress == StreamProgress::Complete {
            return self.check_content();
        }
        fed?;
        if deadlines.has_started()
            || progress == StreamProgress::Writing
            || self.ready.iter().any(Chunk::is_part)
        {
            deadlines.renew();
        }
        self.state = ExchangeState::Streaming { response, deadlines };
        Ok(())
    }

    fn finish(&mut self, events: &[SseEvent]) -> Result<(), ModelError> {
        if self.decode(events)? != StreamProgress::Complete {
            let mut chunks = Vec::new();
            let ended = self.decoder.end(&mut chunks);
            self.ready.extend(chunks);
            ended?;
        }
        self.check_content()
    }

    fn decode(&mut self, events: &[SseEvent]) -> Result<StreamProgress, ModelError> {
        let (mut chunks, mut furthest) = (Vec::new(), StreamProgress::More);
        for event in events {
            let progress = self.decoder.event(event, &mut chunks);
            self.ready.extend(chunks.drain(..));
            furthest = furthest.max(progress?);
            if furthest == StreamProgress::Complete {
                break;
            }
        }
        Ok(furthest)
    }

    /// Rejects a reply with neither text nor a tool call.
    fn check_content(&self) -> Result<(), ModelError> {
        if self.emitted.has_content() || self.ready.iter().any(Chunk::has_content) {
            return Ok(());
        }
        Err(ModelError::new(ModelFailureKind::EmptyReply, "the model's reply is empty"))
    }
}

async fn read_error_response(mut response: Response) -> HttpFailure {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let mut body = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_ERROR_BYTES {
            body.truncate(MAX_ERROR_BYTES);
            break;
        }
    }
    HttpFailure { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
}

/// Returns the error for a failed connection, with all causes but without the URL, which may contain a key.
fn connection_error(error: &reqwest::Error) -> ModelError {
    let kind = if error.is_timeout() { ModelFailureKind::Timeout } else { ModelFailureKind::Network };
    let what =
        if error.is_connect() { "no connection to the model" } else { "the connection to the model broke" };
    ModelError::new(kind, format!("{what}: {}", causes_of(error)))
}
