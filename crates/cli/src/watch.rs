//! An investigation in the terminal: what happens while it happens, and the report at the end.
//!
//! `narration` decides what there is to tell and is pure; `line` is one thing that is told; `screen` shows it.

#[cfg(test)]
mod fixture;
mod line;
mod narration;
mod report;
mod screen;

use std::io::Write;

use anyhow::Context;
use tarsy_domain::SessionId;

use crate::client::{ApiClient, EventFollower, SessionView};
use narration::WatchState;
use screen::Screen;

pub(crate) use report::{Report, duration};

/// How an investigation is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchFormat {
    /// For people, on stderr.
    Story,
    /// For programs, on stdout: what the stream says, one message a line.
    Json,
}

/// Tells what happens in a session until it ends, and gives back what became of it.
pub(crate) async fn watch(client: &ApiClient, session_id: SessionId, form: WatchFormat) -> anyhow::Result<SessionView> {
    match form {
        WatchFormat::Text => tell(client, session_id).await?,
        WatchFormat::Json => pass_on(client, session_id).await?,
    }
    Ok(client.session(session_id).await?)
}

async fn tell(client: &ApiClient, session_id: SessionId) -> anyhow::Result<()> {
    let mut narration = WatchState::new(client.session(session_id).await?);
    let mut screen = Screen::new();
    screen.print(&narration.opening())?;
    let mut follow = EventFollower::new(client, session_id);
    loop {
        let message = follow.next().await?;
        if let Some(content) = &message.content {
            if narration.lacks(content) {
                narration.learn(client.session(session_id).await?);
            }
            if let Some(line) = narration.hear(content) {
                screen.print(&line)?;
            }
        }
        screen.show_work(&narration);
        if message.ends_session() {
            return Ok(());
        }
    }
}

async fn pass_on(client: &ApiClient, session_id: SessionId) -> anyhow::Result<()> {
    let mut follow = EventFollower::new(client, session_id);
    loop {
        let message = follow.next().await?;
        writeln!(std::io::stdout(), "{}", message.json).context("writing an event")?;
        if message.ends_session() {
            return Ok(());
        }
    }
}
