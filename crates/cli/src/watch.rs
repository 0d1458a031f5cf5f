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

use crate::client::{Client, Follow, SessionView};
use narration::Narration;
use screen::Screen;

pub(crate) use report::{Report, duration};

/// How an investigation is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people, on stderr.
    Story,
    /// For programs, on stdout: what the stream says, one message a line.
    Json,
}

/// Tells what happens in a session until it ends, and gives back what became of it.
pub(crate) async fn watch(client: &Client, session_id: SessionId, form: Form) -> anyhow::Result<SessionView> {
    match form {
        Form::Story => tell(client, session_id).await?,
        Form::Json => pass_on(client, session_id).await?,
    }
    Ok(client.session(session_id).await?)
}

async fn tell(client: &Client, session_id: SessionId) -> anyhow::Result<()> {
    let mut narration = Narration::new(client.session(session_id).await?);
    let mut screen = Screen::new();
    screen.print(&narration.opening())?;
    let mut follow = Follow::new(client, session_id);
    loop {
        let message = follow.next().await?;
        if narration.lacks(&message.news) {
            narration.learn(client.session(session_id).await?);
        }
        for line in narration.hear(&message.news) {
            screen.print(&line)?;
        }
        screen.show_work(&narration);
        if message.is_the_end() {
            return Ok(());
        }
    }
}

async fn pass_on(client: &Client, session_id: SessionId) -> anyhow::Result<()> {
    let mut follow = Follow::new(client, session_id);
    loop {
        let message = follow.next().await?;
        writeln!(std::io::stdout(), "{}", message.json).context("writing an event")?;
        if message.is_the_end() {
            return Ok(());
        }
    }
}
