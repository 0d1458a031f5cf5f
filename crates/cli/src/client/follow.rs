//! Following the stream of a session to its end, whatever happens to the connection on the way.

use std::pin::Pin;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use futures_util::{Stream, StreamExt};
use http::Method;
use sse_stream::{Sse, SseStream};
use tarsy_domain::SessionId;
use tracing::debug;

use super::{Client, ClientError, Message, request};

/// How often a broken stream is begun again in a row before it is given up: more than a minute in all.
const TRIES: usize = 12;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

type Events = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

/// Follows the stream of a session.
pub(crate) struct Follow<'a> {
    client: &'a Client,
    session_id: SessionId,
    events: Option<Events>,
    /// The last stored event that came.
    last_event_id: u64,
    pauses: ExponentialBackoff,
}

impl<'a> Follow<'a> {
    /// From the beginning of a session on.
    pub(crate) fn new(client: &'a Client, session_id: SessionId) -> Self {
        Self { client, session_id, events: None, last_event_id: 0, pauses: pauses() }
    }

    /// The next message. What breaks on the way is begun again after the last event that came, for a while.
    pub(crate) async fn next(&mut self) -> Result<Message, ClientError> {
        loop {
            match self.try_next().await {
                Ok(message) => return Ok(message),
                Err(error) => {
                    self.events = None;
                    let pause = self.pauses.next().filter(|_| error.may_pass());
                    let Some(pause) = pause else { return Err(error) };
                    debug!(%error, "the stream of the session is begun again");
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }

    async fn try_next(&mut self) -> Result<Message, ClientError> {
        let events = match &mut self.events {
            Some(events) => events,
            None => self.events.insert(open(self.client, self.session_id, self.last_event_id).await?),
        };
        loop {
            let event = events.next().await.ok_or(ClientError::Ended)?.map_err(ClientError::NoStream)?;
            let Some(json) = event.data else { continue };
            let message = Message::parse(json);
            let message = message
                .map_err(|source| ClientError::Misunderstood { path: "the stream".to_owned(), source })?;
            self.last_event_id = message.event_id.unwrap_or(self.last_event_id);
            self.pauses = pauses();
            return Ok(message);
        }
    }
}

async fn open(client: &Client, session_id: SessionId, last_event_id: u64) -> Result<Events, ClientError> {
    let path = format!("/api/v1/sessions/{session_id}/events?last_event_id={last_event_id}");
    let answer = client.ask(request(Method::GET, &path, String::new())?).await?;
    Ok(Box::pin(SseStream::from_bytes_stream(answer.bytes_stream())))
}

fn pauses() -> ExponentialBackoff {
    let pauses = ExponentialBuilder::new().with_min_delay(FIRST_PAUSE).with_max_delay(LONGEST_PAUSE);
    pauses.with_max_times(TRIES).build()
}
