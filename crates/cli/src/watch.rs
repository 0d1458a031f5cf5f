//! Shows a session in the terminal: progress while it runs, and the report at the end.
//!
//! `state` decides what to print and is pure; `line` formats it; `screen` writes it.

#[cfg(test)]
mod fixture;
mod line;
mod report;
mod screen;
mod state;

use std::io::Write;

use anyhow::Context;
use tarsy_domain::SessionId;

use crate::client::{ApiClient, EventFollower, SessionView};
use screen::WatchScreen;
use state::WatchState;

pub(crate) use report::{SessionReport, duration};

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchFormat {
    /// Readable text on stderr.
    Text,
    /// The messages of the stream on stdout, one JSON object per line.
    Json,
}

/// Prints the progress of a session until it ends, and returns the session.
pub(crate) async fn watch(
    client: &ApiClient,
    session_id: SessionId,
    format: WatchFormat,
) -> anyhow::Result<SessionView> {
    match format {
        WatchFormat::Text => print_progress(client, session_id).await?,
        WatchFormat::Json => print_messages(client, session_id).await?,
    }
    Ok(client.session(session_id).await?)
}

async fn print_progress(client: &ApiClient, session_id: SessionId) -> anyhow::Result<()> {
    let mut state = WatchState::new(client.session(session_id).await?);
    let mut screen = WatchScreen::new();
    screen.print(&state.header())?;
    let mut follower = EventFollower::new(client, session_id);
    loop {
        let message = follower.next().await?;
        if let Some(content) = &message.content {
            if state.needs_refresh(content) {
                state.refresh(client.session(session_id).await?);
            }
            if let Some(line) = state.apply(content) {
                screen.print(&line)?;
            }
        }
        screen.show_activity(&state);
        if message.ends_session() {
            return Ok(());
        }
    }
}

async fn print_messages(client: &ApiClient, session_id: SessionId) -> anyhow::Result<()> {
    let mut follower = EventFollower::new(client, session_id);
    loop {
        let message = follower.next().await?;
        writeln!(std::io::stdout(), "{}", message.json).context("writing an event")?;
        if message.ends_session() {
            return Ok(());
        }
    }
}
