//! `GET /api/v1/sessions/{id}/events`: the channel of a session as server-sent events, for `curl` and
//! scripts.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt};
use serde::Deserialize;
use tarsy_domain::{Channel, ChannelMessage, SessionId};
use tracing::warn;
use utoipa::IntoParams;

use super::{EncodedMessage, Feed};
use crate::extract::{PathParams, QueryParams};
use crate::metrics::GaugeGuard;
use crate::{ApiError, App, Principal};

/// Interval between comments that keep proxies from closing an idle connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Query parameters of a session's event stream.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamQuery {
    /// The last event that the client has received; the stream starts after it. Takes precedence over the
    /// header `Last-Event-ID`. Without either the stream starts with the first event of the session.
    last_event_id: Option<u64>,
}

/// Streams the messages of a session as server-sent events.
///
/// The stream starts with the stored events and continues with new ones; it does not end when the session
/// ends. `data` of each event is a JSON object (schema `ChannelMessage`), `event` its type and `id` the id of
/// the stored event. To resume after a lost connection, send the last id as `last_event_id` or as the header
/// `Last-Event-ID`.
#[utoipa::path(
    get, path = "/api/v1/sessions/{session_id}/events", tag = "live",
    params(("session_id" = SessionId, Path, description = "The session."), StreamQuery),
    responses(
        (
            status = 200, description = "The event stream; the schema describes `data` of one event.",
            content_type = "text/event-stream", body = ChannelMessage
        ),
        (status = 404, description = "The session does not exist.", body = crate::error::ErrorResponse)
    )
)]
pub(crate) async fn stream_session(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    PathParams(session_id): PathParams<SessionId>,
    QueryParams(query): QueryParams<StreamQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    if app.store.session_fetch(session_id).await?.is_none() {
        return Err(ApiError::NotFound { what: "session", id: session_id.to_string() });
    }
    let last_event_id = match query.last_event_id {
        Some(known) => Some(known),
        None => last_event_id(&headers)?,
    };
    let channel = Channel::Session(session_id);
    let feed = Feed::open(&app.store, app.batches.clone(), channel, last_event_id).await?;
    let counted = app.metrics.feed();
    let stream = events(feed, counted).take_until(ended(app, principal));
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Completes when the server must end the stream: it is shutting down, or the client's access was revoked.
async fn ended(app: App, principal: Principal) {
    tokio::select! {
        () = app.stopping.cancelled() => {}
        () = app.access_control.revoked(&principal) => {}
    }
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let known = value.to_str().ok().and_then(|text| text.parse().ok());
    known.map(Some).ok_or_else(|| ApiError::bad("Last-Event-ID", "must be a non-negative integer"))
}

/// Returns the messages of a feed. The stream ends when the database cannot be read; clients reconnect.
fn events(feed: Feed, counted: GaugeGuard) -> impl Stream<Item = Result<Event, Infallible>> {
    let state = (feed, counted);
    let messages = futures_util::stream::unfold(state, async |(mut feed, counted)| match feed.next().await {
        Ok(messages) => Some((futures_util::stream::iter(messages), (feed, counted))),
        Err(error) => {
            warn!(%error, "event stream ended: events cannot be read from the database");
            None
        }
    });
    messages.flatten().map(|message| Ok(event(&message)))
}

fn event(message: &EncodedMessage) -> Event {
    let event = Event::default().event(message.message_type).data(message.json.as_str());
    match message.event_id {
        Some(id) => event.id(id.to_string()),
        None => event,
    }
}
