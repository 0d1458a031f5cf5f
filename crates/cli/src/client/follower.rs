//! Follows the event stream of a session and reconnects after errors.

use std::pin::Pin;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use futures_util::{Stream, StreamExt};
use http::Method;
use sse_stream::{Sse, SseStream};
use tarsy_domain::SessionId;
use tracing::debug;

use super::{ApiClient, ClientError, ReceivedMessage, request};

/// The maximum number of consecutive reconnects; more than a minute in total.
const MAX_RECONNECTS: usize = 12;
const MIN_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(10);

type SseEvents = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

/// Follows the event stream of a session.
pub(crate) struct EventFollower<'a> {
    client: &'a ApiClient,
    session_id: SessionId,
    events: Option<SseEvents>,
    /// The id of the last stored event that was received.
    last_event_id: u64,
    backoff: ExponentialBackoff,
}

impl<'a> EventFollower<'a> {
    /// Follows a session from its first event.
    pub(crate) fn new(client: &'a ApiClient, session_id: SessionId) -> Self {
        Self { client, session_id, events: None, last_event_id: 0, backoff: backoff() }
    }

    /// Returns the next message. After a transient error, reconnects and continues after the last received event.
    pub(crate) async fn next(&mut self) -> Result<ReceivedMessage, ClientError> {
        loop {
            match self.try_next().await {
                Ok(message) => return Ok(message),
                Err(error) => {
                    self.events = None;
                    let delay = self.backoff.next().filter(|_| error.is_transient());
                    let Some(delay) = delay else { return Err(error) };
                    debug!(%error, "reconnecting to the event stream");
                    tokio::time::sleep(delay).await;
                }
            }
        }
    }

    async fn try_next(&mut self) -> Result<ReceivedMessage, ClientError> {
        let events = match &mut self.events {
            Some(events) => events,
            None => self.events.insert(open(self.client, self.session_id, self.last_event_id).await?),
        };
        loop {
            let event =
                events.next().await.ok_or(ClientError::StreamClosed)?.map_err(ClientError::InvalidStream)?;
            let Some(json) = event.data else { continue };
            let message = ReceivedMessage::parse(json);
            let message = message.map_err(|source| ClientError::InvalidResponse {
                path: "the event stream".to_owned(),
                source,
            })?;
            self.last_event_id = message.event_id.unwrap_or(self.last_event_id);
            self.backoff = backoff();
            return Ok(message);
        }
    }
}

async fn open(
    client: &ApiClient,
    session_id: SessionId,
    last_event_id: u64,
) -> Result<SseEvents, ClientError> {
    let path = format!("/api/v1/sessions/{session_id}/events?last_event_id={last_event_id}");
    let response = client.send(request(Method::GET, &path, String::new())?).await?;
    Ok(Box::pin(SseStream::from_bytes_stream(response.bytes_stream())))
}

fn backoff() -> ExponentialBackoff {
    let backoff = ExponentialBuilder::new().with_min_delay(MIN_DELAY).with_max_delay(MAX_DELAY);
    backoff.with_max_times(MAX_RECONNECTS).build()
}
