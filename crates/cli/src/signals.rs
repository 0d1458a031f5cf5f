//! SIGTERM and SIGINT: requests to stop a command.
//!
//! One request often arrives twice: `timeout` signals its child and then the whole process group, and people
//! press Ctrl-C twice. Signals shortly after another one therefore belong to it.

use std::time::Duration;

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::info;

/// Signals within this time after a counted one belong to it.
const GRACE_PERIOD: Duration = Duration::from_secs(1);

/// The requests to stop a command that has something to save.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopRequests {
    /// Cancelled by the first signal: finish in an orderly way.
    pub(crate) stop: CancellationToken,
    /// Cancelled by the second signal: save what is there and end.
    pub(crate) stop_now: CancellationToken,
}

/// Returns a token that the first signal cancels. The second signal exits the process immediately.
pub(crate) fn stop_on_signal() -> anyhow::Result<CancellationToken> {
    let (mut signals, stop) = (StopSignals::listen()?, CancellationToken::new());
    let cancelled = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        info!("stopping");
        cancelled.cancel();
        signals.next().await;
        std::process::exit(1);
    });
    Ok(stop)
}

/// Returns the tokens that the first and the second signal cancel. The third signal exits the process
/// immediately.
pub(crate) fn stop_requests() -> anyhow::Result<StopRequests> {
    let (mut signals, requests) = (StopSignals::listen()?, StopRequests::default());
    let requested = requests.clone();
    tokio::spawn(async move {
        for token in [&requested.stop, &requested.stop_now] {
            signals.next().await;
            info!("stopping");
            token.cancel();
        }
        signals.next().await;
        std::process::exit(1);
    });
    Ok(requests)
}

/// The signals that request a stop.
struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
    /// When the last counted signal arrived.
    counted_at: Option<Instant>,
}

impl StopSignals {
    fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).context("listening for SIGTERM")?,
            interrupt: signal(SignalKind::interrupt()).context("listening for SIGINT")?,
            counted_at: None,
        })
    }

    /// Waits for the next signal that counts.
    async fn next(&mut self) {
        loop {
            tokio::select! { _ = self.terminate.recv() => {} _ = self.interrupt.recv() => {} }
            if self.counted_at.is_none_or(|at| at.elapsed() >= GRACE_PERIOD) {
                self.counted_at = Some(Instant::now());
                return;
            }
        }
    }
}
