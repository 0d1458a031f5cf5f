//! Signals between the processes that share a database: a session can be claimed, or a session is to be
//! cancelled.
//!
//! A signal only shortens a wait. A process that misses one finds the same information when it polls, so
//! nothing here retries. A signal is never sent within the transaction that it reports: on PostgreSQL that
//! would serialize all commits.

use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgNotification};
use tarsy_domain::SessionId;
use tokio::sync::{Notify, broadcast};
use tokio::time::MissedTickBehavior;
use tracing::{debug, warn};

use crate::store::Backend;
use crate::{Store, StoreError};

/// The PostgreSQL channel of the signals.
const CHANNEL: &str = "tarsy_signals";
/// The PostgreSQL channel on which processes exchange live state.
const LIVE_CHANNEL: &str = "tarsy_live";
/// How often live state is sent.
const RELAY_INTERVAL: Duration = Duration::from_millis(100);
/// Signals that a slow receiver may fall behind before it has to check every session.
const BACKLOG: usize = 1024;
/// Pause before listening again after the connection was lost.
const RECONNECT_PAUSE: Duration = Duration::from_millis(500);

/// A signal to all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// A session can be claimed.
    Work,
    /// The cancellation of a session was requested.
    Cancel(SessionId),
}

/// The receiving side of the signals in one process.
#[derive(Clone)]
pub(crate) struct Signals {
    work: Arc<Notify>,
    cancels: broadcast::Sender<CancelSignal>,
}

/// A subscription to requests for cancellation.
pub struct CancelSubscription(broadcast::Receiver<CancelSignal>);

/// A request for cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelSignal {
    /// This session is to be cancelled.
    Session(SessionId),
    /// Signals were missed: check every session.
    Missed,
}

impl Default for Signals {
    fn default() -> Self {
        Self { work: Arc::new(Notify::new()), cancels: broadcast::channel(BACKLOG).0 }
    }
}

impl Signals {
    fn receive(&self, signal: Signal) {
        match signal {
            Signal::Work => self.work.notify_one(),
            // Without a receiver there is nothing to cancel in this process.
            Signal::Cancel(session_id) => drop(self.cancels.send(CancelSignal::Session(session_id))),
        }
    }

    /// Wakes all receivers after a pause in which signals may have been missed.
    fn missed(&self) {
        self.work.notify_one();
        drop(self.cancels.send(CancelSignal::Missed));
    }
}

impl CancelSubscription {
    /// Waits for the next request; `None` once the store was dropped.
    pub async fn next(&mut self) -> Option<CancelSignal> {
        match self.0.recv().await {
            Ok(signal) => Some(signal),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(CancelSignal::Missed),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

impl Store {
    /// Waits for the signal that a session can be claimed. Each signal wakes one caller.
    pub async fn queue_wait_for_work(&self) {
        self.signals.work.notified().await;
    }

    /// Subscribes to requests for cancellation.
    pub fn cancel_subscribe(&self) -> CancelSubscription {
        CancelSubscription(self.signals.cancels.subscribe())
    }

    /// Exchanges signals and live state with other processes until the future is dropped. Does nothing on
    /// SQLite, where there is only one process.
    pub async fn listen(&self) {
        let Backend::Postgres { pool } = &self.backend else { return std::future::pending().await };
        loop {
            if let Err(error) = self.listen_once(pool).await {
                debug!(%error, "the connection that listens to the database was lost");
            }
            tokio::time::sleep(RECONNECT_PAUSE).await;
        }
    }

    async fn listen_once(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen_all([CHANNEL, LIVE_CHANNEL]).await?;
        self.signals.missed();
        self.live.start_over();
        // Each future runs until it fails and is never recreated in between: a receive that is dropped
        // halfway loses the data it has read.
        tokio::select! {
            ended = self.receive_all(listener) => ended,
            ended = self.relay_all(pool) => ended,
        }
    }

    async fn receive_all(&self, mut listener: PgListener) -> Result<(), sqlx::Error> {
        while let Some(notification) = listener.try_recv().await? {
            self.receive(&notification);
        }
        Ok(())
    }

    fn receive(&self, notification: &PgNotification) {
        if notification.channel() == LIVE_CHANNEL {
            return self.live.receive(notification.payload(), Instant::now());
        }
        match notification.payload().parse() {
            Ok(signal) => self.signals.receive(signal),
            Err(UnknownSignal) => debug!(payload = notification.payload(), "ignored an unknown signal"),
        }
    }

    /// Sends live state to the other processes that have subscribers.
    async fn relay_all(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let mut ticks = tokio::time::interval(RELAY_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let now = ticks.tick().await.into_std();
            self.live.drop_silent(now);
            for payload in self.live.relay_payloads(now) {
                let push = sqlx::query("select pg_notify($1, $2)").bind(LIVE_CHANNEL).bind(payload);
                Box::pin(push.execute(pool)).await?;
            }
        }
    }

    /// Sends a signal to this process and all others. A failure is only logged, because the reported change
    /// is committed and other processes find it by polling.
    pub(crate) async fn signal(&self, signal: Signal) {
        self.signals.receive(signal);
        if let Backend::Postgres { pool } = &self.backend {
            let push = sqlx::query("select pg_notify($1, $2)").bind(CHANNEL).bind(signal.to_string());
            if let Err(error) = Box::pin(push.execute(pool)).await.map_err(StoreError::from) {
                warn!(%error, "the other processes could not be notified; they find the change when they poll");
            }
        }
    }
}

impl std::fmt::Display for Signal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Work => formatter.write_str("work"),
            Self::Cancel(session_id) => write!(formatter, "cancel:{session_id}"),
        }
    }
}

/// A signal that this version does not know.
pub(crate) struct UnknownSignal;

impl FromStr for Signal {
    type Err = UnknownSignal;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if text == "work" => Ok(Self::Work),
            Some(("cancel", id)) => id.parse().map(Self::Cancel).map_err(|_| UnknownSignal),
            _ => Err(UnknownSignal),
        }
    }
}
