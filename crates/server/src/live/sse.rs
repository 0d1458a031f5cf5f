//! `GET /api/v1/sessions/{id}/events`: a session's stream as server-sent events, for `curl` and scripts.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use serde::Deserialize;
use tarsy_domain::{Channel, SessionId};
use tracing::warn;
use utoipa::IntoParams;

use super::{Feed, Message};
use crate::extract::{InPath, Parameters};
use crate::metrics::Counted;
use crate::{ApiError, App, Principal};

/// A comment is sent this often, so that nobody on the way takes the connection for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Where a stream begins.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamQuery {
    /// The last event that is known; the stream begins after it. The header `Last-Event-ID` says the same.
    last_event_id: Option<u64>,
}

/// Streams a session: what is recorded of it, then what happens.
#[utoipa::path(
    get, path = "/api/v1/sessions/{session_id}/events", tag = "live",
    params(("session_id" = SessionId, Path, description = "The session."), StreamQuery),
    responses(
        (status = 200, description = "Events, for as long as one listens.", content_type = "text/event-stream", body = String),
        (status = 404, description = "There is no such session.", body = crate::error::ErrorResponse)
    )
)]
pub(crate) async fn stream_session(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    InPath(session_id): InPath<SessionId>,
    Parameters(query): Parameters<StreamQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    if app.store.session_fetch(session_id).await?.is_none() {
        return Err(ApiError::Unknown { what: "session", id: session_id.to_string() });
    }
    let last_event_id = match query.last_event_id {
        Some(known) => Some(known),
        None => last_event_id(&headers)?,
    };
    let channel = Channel::Session(session_id);
    let feed = Feed::open(&app.store, app.batches.clone(), channel, last_event_id).await?;
    let counted = app.metrics.feed();
    let stream = futures_util::StreamExt::take_until(events(feed, counted), ended(app, principal));
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// When a stream ends although somebody listens.
async fn ended(app: App, principal: Principal) {
    tokio::select! {
        () = app.stopping.cancelled() => {}
        () = app.doorkeeper.expelled(&principal) => {}
    }
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let known = value.to_str().ok().and_then(|text| text.parse().ok());
    known.map(Some).ok_or_else(|| ApiError::bad("Last-Event-ID", "it is not a whole number"))
}

/// The feed, message by message. It ends when the database does not answer: the listener comes again.
fn events(feed: Feed, counted: Counted) -> impl Stream<Item = Result<Event, Infallible>> {
    let followed = (feed, counted);
    let messages =
        futures_util::stream::unfold(followed, async |(mut feed, counted)| match feed.next().await {
            Ok(messages) => Some((futures_util::stream::iter(messages), (feed, counted))),
            Err(error) => {
                warn!(%error, "a stream ends, because the record cannot be read");
                None
            }
        });
    futures_util::StreamExt::map(futures_util::StreamExt::flatten(messages), |message| Ok(event(&message)))
}

fn event(message: &Message) -> Event {
    let event = Event::default().event(message.message_type).data(message.json.as_str());
    match message.event_id {
        Some(id) => event.id(id.to_string()),
        None => event,
    }
}
