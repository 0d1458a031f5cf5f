//! `GET /api/v1/ws`: a WebSocket on which a client subscribes to channels.

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
use tarsy_domain::{Channel, ClientCommand, CommandAction, ControlMessage};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{interval, timeout};
use tracing::{debug, warn};

use super::Feed;
use crate::listen::ConnectionPermit;
use crate::metrics::GaugeGuard;
use crate::{ApiError, App, Principal};

/// Maximum size of a command in bytes.
const MAX_COMMAND_BYTES: usize = 4 * 1024;
/// Maximum number of subscriptions per WebSocket.
const MAX_CHANNELS: usize = 64;
/// Capacity of the queue of messages for one WebSocket. A feed waits while it is full and then sends larger
/// chunks.
const OUTBOX_CAPACITY: usize = 16;
/// A client that accepts no data for this long is disconnected.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// Interval between ping frames, which detect dead connections.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// Opens a WebSocket for live messages.
///
/// The client sends commands as JSON text frames (schema `ClientCommand`) and subscribes to up to 64
/// channels. The server sends JSON text frames: the messages of the subscribed channels (schema
/// `ChannelMessage`) and replies to commands (schema `ControlMessage`). To resume after a lost connection,
/// subscribe with the `last_event_id` that was received last.
#[utoipa::path(
    get, path = "/api/v1/ws", tag = "live",
    responses(
        (status = 101, description = "The WebSocket is open."),
        (status = 426, description = "The request is not a WebSocket upgrade.", body = crate::error::ErrorResponse)
    )
)]
pub(crate) async fn open_socket(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    permit: Option<Extension<ConnectionPermit>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    if !app.access_control.origins.allow(&headers) {
        return Err(ApiError::OriginNotAllowed);
    }
    let upgrade = upgrade.map_err(|rejection| ApiError::NotAWebSocket(rejection.body_text()))?;
    let upgrade = upgrade.max_message_size(MAX_COMMAND_BYTES);
    Ok(upgrade.on_upgrade(move |socket| async move {
        serve(app, principal, socket).await;
        drop(permit);
    }))
}

async fn serve(app: App, principal: Principal, socket: WebSocket) {
    let _open = app.metrics.socket();
    let (sink, commands) = socket.split();
    let (outbox, frames) = mpsc::channel(OUTBOX_CAPACITY);
    let subscriber = Subscriber { app: app.clone(), outbox, feeds: HashMap::new() };
    tokio::select! {
        () = subscriber.serve(commands) => {}
        () = send_all(frames, sink) => {}
        () = app.access_control.revoked(&principal) => {}
        () = app.stopping.cancelled() => {}
    }
}

/// Sends queued messages until the client disconnects.
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
        match timeout(SEND_TIMEOUT, sink.send(frame)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return debug!(%error, "WebSocket closed by the client"),
            Err(_) => return debug!("WebSocket closed: the client accepts no data"),
        }
    }
}

/// The subscriptions of one client.
struct Subscriber {
    app: App,
    outbox: mpsc::Sender<Utf8Bytes>,
    feeds: HashMap<Channel, AbortHandle>,
}

impl Subscriber {
    /// Executes commands until the client disconnects.
    async fn serve(mut self, mut commands: SplitStream<WebSocket>) {
        while let Some(Ok(frame)) = commands.next().await {
            let executed = match frame {
                Frame::Text(text) => self.execute(&text).await,
                Frame::Binary(_) => Err(ApiError::bad("command", "must be a text frame with JSON")),
                Frame::Ping(_) | Frame::Pong(_) => Ok(()),
                Frame::Close(_) => return,
            };
            if let Err(error) = executed {
                self.reply(ControlMessage::Error { message: error.to_string() }).await;
            }
        }
    }

    async fn execute(&mut self, text: &str) -> Result<(), ApiError> {
        let ClientCommand { action, channel, last_event_id } = crate::extract::read_json(text.as_bytes())?;
        match action {
            CommandAction::Subscribe => self.subscribe(self.existing(channel).await?, last_event_id).await,
            CommandAction::Unsubscribe => self.unsubscribe(self.existing(channel).await?).await,
            CommandAction::Catchup => {
                self.catch_up(self.existing(channel).await?, last_event_id.unwrap_or_default()).await
            }
            CommandAction::Ping => {
                self.reply(ControlMessage::Pong).await;
                Ok(())
            }
        }
    }

    /// Checks that a command names a channel and that its session exists.
    async fn existing(&self, channel: Option<Channel>) -> Result<Channel, ApiError> {
        let channel = channel.ok_or_else(|| ApiError::bad("channel", "is missing"))?;
        if let Channel::Session(session_id) = channel
            && self.app.store.session_fetch(session_id).await?.is_none()
        {
            return Err(ApiError::NotFound { what: "session", id: session_id.to_string() });
        }
        Ok(channel)
    }

    async fn subscribe(&mut self, channel: Channel, last_event_id: Option<u64>) -> Result<(), ApiError> {
        self.feeds.remove(&channel).inspect(AbortHandle::abort);
        if self.feeds.len() >= MAX_CHANNELS {
            let problem = format!("a WebSocket has at most {MAX_CHANNELS} subscriptions");
            return Err(ApiError::bad("channel", problem));
        }
        let feed = Feed::open(&self.app.store, self.app.batches.clone(), channel, last_event_id).await?;
        self.reply(ControlMessage::Subscribed { channel }).await;
        let task = tokio::spawn(follow(feed, self.outbox.clone(), self.app.metrics.feed()));
        self.feeds.insert(channel, task.abort_handle());
        Ok(())
    }

    async fn unsubscribe(&mut self, channel: Channel) -> Result<(), ApiError> {
        self.feeds.remove(&channel).inspect(AbortHandle::abort);
        self.reply(ControlMessage::Unsubscribed { channel }).await;
        Ok(())
    }

    /// Sends one page of the events after `last_event_id`.
    async fn catch_up(&self, channel: Channel, last_event_id: u64) -> Result<(), ApiError> {
        let batch = self.app.batches.after(channel, last_event_id).await?;
        let last = batch.as_ref().map_or(last_event_id, |batch| batch.ids.1);
        for message in batch.iter().flat_map(|batch| &batch.messages) {
            self.send(message.json.clone()).await;
        }
        let newest = self.app.store.event_last_id(channel).await?;
        let more = newest > last;
        self.reply(ControlMessage::CaughtUp { channel, last_event_id: last, more }).await;
        Ok(())
    }

    async fn reply(&self, message: ControlMessage) {
        self.send(message.to_json().into()).await;
    }

    async fn send(&self, json: Utf8Bytes) {
        // Sending fails only if the client has disconnected.
        let _disconnected = self.outbox.send(json).await;
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.feeds.values().for_each(AbortHandle::abort);
    }
}

/// Forwards the messages of a feed at the client's speed.
async fn follow(mut feed: Feed, outbox: mpsc::Sender<Utf8Bytes>, _counted: GaugeGuard) {
    loop {
        let messages = match feed.next().await {
            Ok(messages) => messages,
            Err(error) => {
                warn!(%error, "events cannot be read from the database; retrying");
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
