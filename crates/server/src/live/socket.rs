//! `GET /api/v1/ws`: a socket on which a client follows as many channels as it likes.

use std::collections::HashMap;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message as Frame, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::json;
use tarsy_domain::Channel;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{interval, timeout};
use tracing::{debug, warn};

use super::{Feed, Message};
use crate::listen::Place;
use crate::metrics::Counted;
use crate::{ApiError, App, Principal};

/// Commands are short.
const LARGEST_COMMAND: usize = 4 * 1024;
/// Channels on one socket.
const MOST_CHANNELS: usize = 64;
/// Messages on their way to one socket. A feed that finds no room waits, and takes what has come together then.
const ROOM: usize = 16;
/// A client that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often the other end is asked whether it is there.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// Opens a socket.
///
/// Commands are JSON: `{"action": "subscribe" | "unsubscribe" | "catchup" | "ping", "channel": "sessions" |
/// "session:{id}", "last_event_id": 41}`.
#[utoipa::path(
    get, path = "/api/v1/ws", tag = "live",
    responses(
        (status = 101, description = "The socket is open."),
        (status = 426, description = "The request does not ask for a socket.", body = crate::error::ErrorResponse)
    )
)]
pub(crate) async fn open_socket(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    place: Option<Extension<Place>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    if !app.doorkeeper.origins.allow(&headers) {
        return Err(ApiError::ForeignOrigin);
    }
    let upgrade = upgrade.map_err(|wrong| ApiError::NoSocket(wrong.body_text()))?;
    let upgrade = upgrade.max_message_size(LARGEST_COMMAND);
    Ok(upgrade.on_upgrade(move |socket| async move {
        serve(app, principal, socket).await;
        drop(place);
    }))
}

async fn serve(app: App, principal: Principal, socket: WebSocket) {
    let _open = app.metrics.socket();
    let (sink, commands) = socket.split();
    let (outbox, frames) = mpsc::channel(ROOM);
    let desk = Desk { app: app.clone(), outbox, feeds: HashMap::new() };
    tokio::select! {
        () = desk.serve(commands) => {}
        () = send_all(frames, sink) => {}
        () = app.doorkeeper.expelled(&principal) => {}
        () = app.stopping.cancelled() => {}
    }
}

/// Sends what comes, until the other end is gone.
async fn send_all(mut frames: mpsc::Receiver<Utf8Bytes>, mut sink: SplitSink<WebSocket, Frame>) {
    let mut pings = interval(PING_INTERVAL);
    loop {
        let frame = tokio::select! {
            frame = frames.recv() => match frame {
                Some(json) => Frame::Text(json),
                None => return,
            },
            _ = pings.tick() => Frame::Ping(axum::body::Bytes::new()),
        };
        match timeout(PATIENCE, sink.send(frame)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return debug!(%error, "a socket is gone"),
            Err(_) => return debug!("a socket takes nothing any more"),
        }
    }
}

/// A command of a client.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    action: Action,
    channel: Option<String>,
    last_event_id: Option<u64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Subscribe,
    Unsubscribe,
    Catchup,
    Ping,
}

/// What one client follows.
struct Desk {
    app: App,
    outbox: mpsc::Sender<Utf8Bytes>,
    feeds: HashMap<Channel, AbortHandle>,
}

impl Desk {
    /// Carries out commands until the client leaves.
    async fn serve(mut self, mut commands: SplitStream<WebSocket>) {
        while let Some(Ok(frame)) = commands.next().await {
            let carried_out = match frame {
                Frame::Text(text) => self.carry_out(&text).await,
                Frame::Binary(_) => Err(ApiError::bad("command", "it is not text; commands are JSON")),
                Frame::Ping(_) | Frame::Pong(_) => Ok(()),
                Frame::Close(_) => return,
            };
            if let Err(error) = carried_out {
                self.tell(json!({ "type": "error", "message": error.to_string() })).await;
            }
        }
    }

    async fn carry_out(&mut self, text: &str) -> Result<(), ApiError> {
        let command: Command = crate::extract::read_json(text.as_bytes())?;
        if matches!(command.action, Action::Ping) {
            self.tell(json!({ "type": "pong" })).await;
            return Ok(());
        }
        let channel = self.channel(command.channel.as_deref()).await?;
        match command.action {
            Action::Subscribe => self.subscribe(channel, command.last_event_id).await?,
            Action::Unsubscribe => self.unsubscribe(channel).await,
            Action::Catchup => self.catch_up(channel, command.last_event_id.unwrap_or_default()).await?,
            Action::Ping => {}
        }
        Ok(())
    }

    async fn channel(&self, name: Option<&str>) -> Result<Channel, ApiError> {
        let name = name.ok_or_else(|| ApiError::bad("channel", "it is missing"))?;
        let channel: Channel = name
            .parse()
            .map_err(|unknown: tarsy_domain::UnknownChannel| ApiError::bad("channel", unknown.to_string()))?;
        if let Channel::Session(session_id) = channel
            && self.app.store.session_fetch(session_id).await?.is_none()
        {
            return Err(ApiError::Unknown { what: "session", id: session_id.to_string() });
        }
        Ok(channel)
    }

    async fn subscribe(&mut self, channel: Channel, last_event_id: Option<u64>) -> Result<(), ApiError> {
        self.feeds.remove(&channel).inspect(AbortHandle::abort);
        if self.feeds.len() >= MOST_CHANNELS {
            return Err(ApiError::bad(
                "channel",
                format!("a socket follows {MOST_CHANNELS} channels at most"),
            ));
        }
        let feed = Feed::open(&self.app.store, self.app.batches.clone(), channel, last_event_id).await?;
        self.tell(json!({ "type": "subscribed", "channel": channel.to_string() })).await;
        let task = tokio::spawn(follow(feed, self.outbox.clone(), self.app.metrics.feed()));
        self.feeds.insert(channel, task.abort_handle());
        Ok(())
    }

    async fn unsubscribe(&mut self, channel: Channel) {
        self.feeds.remove(&channel).inspect(AbortHandle::abort);
        self.tell(json!({ "type": "unsubscribed", "channel": channel.to_string() })).await;
    }

    /// One page of what follows an event.
    async fn catch_up(&self, channel: Channel, last_event_id: u64) -> Result<(), ApiError> {
        let batch = self.app.batches.after(channel, last_event_id).await?;
        let last = batch.as_ref().map_or(last_event_id, |batch| batch.ids.1);
        for message in batch.iter().flat_map(|batch| &batch.messages) {
            self.send(message).await;
        }
        let newest = self.app.store.event_last_id(channel).await?;
        let told = json!({
            "type": "caught_up", "channel": channel.to_string(), "last_event_id": last, "more": newest > last,
        });
        self.tell(told).await;
        Ok(())
    }

    async fn send(&self, message: &Message) {
        // A client that has left does not need it.
        let _left = self.outbox.send(message.json.clone()).await;
    }

    async fn tell(&self, told: serde_json::Value) {
        let _left = self.outbox.send(told.to_string().into()).await;
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.feeds.values().for_each(AbortHandle::abort);
    }
}

/// Follows a channel at the client's speed.
async fn follow(mut feed: Feed, outbox: mpsc::Sender<Utf8Bytes>, _counted: Counted) {
    loop {
        let messages = match feed.next().await {
            Ok(messages) => messages,
            Err(error) => {
                warn!(%error, "the record cannot be read for a watcher; trying again");
                tokio::time::sleep(Duration::from_secs(1)).await;
                continue;
            }
        };
        for message in messages {
            if outbox.send(message.json).await.is_err() {
                return;
            }
        }
    }
}
