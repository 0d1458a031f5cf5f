//! Pushes between the processes that share a database: there is work, somebody asked to stop a session.
//!
//! A push only saves waiting. Whoever misses one finds out by looking, a little later, so nothing here retries, and
//! nothing is sent within the transaction it is about: on PostgreSQL that would make all of them commit one by one.

use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgNotification};
use tarsy_domain::SessionId;
use tokio::sync::{Notify, broadcast};
use tokio::time::MissedTickBehavior;
use tracing::{debug, warn};

use crate::store::Engine;
use crate::{Store, StoreError};

/// The channel of PostgreSQL that pushes travel on.
const CHANNEL: &str = "tarsy_signals";
/// The channel of PostgreSQL on which processes tell each other what people watch just now.
const LIVE_CHANNEL: &str = "tarsy_live";
/// How often that is told.
const RELAY_INTERVAL: Duration = Duration::from_millis(100);
/// Pushes that a slow receiver may be behind; it is told to look for itself after that.
const BACKLOG: usize = 1024;
/// How long to wait before the database is listened to again after it went away.
const PAUSE: Duration = Duration::from_millis(500);

/// What somebody should know at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// A session can be claimed.
    Work,
    /// Somebody asked to stop a session.
    Cancel(SessionId),
}

/// The receiving side of the pushes of one process.
#[derive(Clone)]
pub(crate) struct Signals {
    work: Arc<Notify>,
    cancels: broadcast::Sender<CancelSignal>,
}

/// Requests to stop, as they come.
pub struct Cancels(broadcast::Receiver<CancelSignal>);

/// What a listener to requests to stop hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelSignal {
    /// This session is to stop.
    Session(SessionId),
    /// Some were missed: look at every session.
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
            // Nobody may be listening; then nobody has anything to stop.
            Signal::Cancel(session_id) => drop(self.cancels.send(CancelSignal::Session(session_id))),
        }
    }

    /// Nobody listened for a while: whatever may have been pushed in that time is looked for.
    fn missed(&self) {
        self.work.notify_one();
        drop(self.cancels.send(CancelSignal::Missed));
    }
}

impl Cancels {
    /// The next one.
    pub async fn next(&mut self) -> Option<CancelSignal> {
        match self.0.recv().await {
            Ok(signal) => Some(signal),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(CancelSignal::Missed),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

impl Store {
    /// Waits until somebody says that there is work. One caller is woken by each push.
    pub async fn work_arrives(&self) {
        self.signals.work.notified().await;
    }

    /// Requests to stop from now on.
    pub fn cancels(&self) -> Cancels {
        Cancels(self.signals.cancels.subscribe())
    }

    /// Receives the pushes of other processes until this is dropped. With an embedded database there are none.
    pub async fn listen(&self) {
        let Engine::Postgres { pool } = &self.engine else { return std::future::pending().await };
        loop {
            if let Err(error) = self.listen_once(pool).await {
                debug!(%error, "listening to the database was interrupted");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn listen_once(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen_all([CHANNEL, LIVE_CHANNEL]).await?;
        self.signals.missed();
        self.live.start_over();
        // Both go on until one ends: a receive that is given up half way would lose what it has read.
        tokio::select! {
            ended = self.receive_all(listener) => ended,
            ended = self.relay_all(pool) => ended,
        }
    }

    async fn receive_all(&self, mut listener: PgListener) -> Result<(), sqlx::Error> {
        while let Some(pushed) = listener.try_recv().await? {
            self.receive(&pushed);
        }
        Ok(())
    }

    fn receive(&self, pushed: &PgNotification) {
        if pushed.channel() == LIVE_CHANNEL {
            return self.live.hear(pushed.payload(), Instant::now());
        }
        match pushed.payload().parse() {
            Ok(signal) => self.signals.receive(signal),
            Err(UnknownSignal) => debug!(payload = pushed.payload(), "an unknown push"),
        }
    }

    /// Tells the others what they watch, whenever there is anything to tell.
    async fn relay_all(&self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let mut ticks = tokio::time::interval(RELAY_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let now = ticks.tick().await.into_std();
            self.live.forget_silent(now);
            for parcel in self.live.parcels(now) {
                let push = sqlx::query("select pg_notify($1, $2)").bind(LIVE_CHANNEL).bind(parcel);
                Box::pin(push.execute(pool)).await?;
            }
        }
    }

    /// Tells this process and all others. That it happened is in the database already, so a failure is no error.
    pub(crate) async fn signal(&self, signal: Signal) {
        self.signals.receive(signal);
        if let Engine::Postgres { pool } = &self.engine {
            let push = sqlx::query("select pg_notify($1, $2)").bind(CHANNEL).bind(signal.to_string());
            if let Err(error) = Box::pin(push.execute(pool)).await.map_err(StoreError::from) {
                warn!(%error, "the other processes were not told; they will see it when they look");
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

/// A push that this version does not know.
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
