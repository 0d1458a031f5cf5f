//! `tarsy sessions`: the sessions of a server.

mod list;
mod overview;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use tarsy_config::Environment;
use tarsy_domain::SessionId;

use crate::arguments::{
    ExportSessionArguments, SessionName, SessionsArguments, SessionsCommand, ShowSessionArguments,
};
use crate::client::{ApiClient, SessionListPage};
use crate::exit_status::{INTERRUPTED, exit_status_of};
use crate::investigate::token_from;
use crate::serve::runtime;
use crate::signals::stop_on_signal;
use crate::terminal::eprint_line;
use crate::watch::{SessionReport, WatchFormat, watch};
use overview::SessionOverview;

/// Runs a subcommand.
pub(crate) fn sessions(arguments: &SessionsArguments) -> anyhow::Result<ExitCode> {
    let client = ApiClient::remote(&arguments.server, token_from(&Environment::from_process()))?;
    runtime()?.block_on(async {
        let status = match &arguments.command {
            SessionsCommand::List(list) => list::list(&client, list).await.map(|()| 0),
            SessionsCommand::Show(show) => show_session(&client, show).await.map(|()| 0),
            SessionsCommand::Watch(show) => watch_session(&client, show).await,
            SessionsCommand::Cancel(which) => cancel_session(&client, which.session).await.map(|()| 0),
            SessionsCommand::Export(export) => export_session(&client, export).await.map(|()| 0),
        };
        status.map(ExitCode::from)
    })
}

/// Returns the id of a session.
async fn resolve(client: &ApiClient, name: SessionName) -> anyhow::Result<SessionId> {
    let SessionName::Known(session_id) = name else {
        let page: SessionListPage = client.get("/api/v1/sessions?limit=1").await?;
        let Some(newest) = page.sessions.first() else { bail!("the server has no sessions yet") };
        return Ok(newest.session_id);
    };
    Ok(session_id)
}

async fn show_session(client: &ApiClient, arguments: &ShowSessionArguments) -> anyhow::Result<()> {
    let session_id = resolve(client, arguments.which.session).await?;
    if arguments.json {
        return print(&client.get_text(&format!("/api/v1/sessions/{session_id}")).await?);
    }
    let session = client.session(session_id).await?;
    write!(std::io::stdout(), "{}", SessionOverview(&session)).context("writing the session")?;
    if session.row.status.is_terminal() { SessionReport(&session).print() } else { Ok(()) }
}

async fn watch_session(client: &ApiClient, arguments: &ShowSessionArguments) -> anyhow::Result<u8> {
    let stop = stop_on_signal()?;
    let session_id = resolve(client, arguments.which.session).await?;
    let format = if arguments.json { WatchFormat::Json } else { WatchFormat::Text };
    let session = tokio::select! {
        ended = watch(client, session_id, format) => ended?,
        () = stop.cancelled() => return Ok(INTERRUPTED),
    };
    if format == WatchFormat::Text {
        SessionReport(&session).print()?;
    }
    Ok(exit_status_of(session.row.status))
}

async fn cancel_session(client: &ApiClient, name: SessionName) -> anyhow::Result<()> {
    let session_id = resolve(client, name).await?;
    let status = client.cancel(session_id).await?.row.status;
    eprint_line(&format!("Session {session_id} is {status}."))
}

async fn export_session(client: &ApiClient, arguments: &ExportSessionArguments) -> anyhow::Result<()> {
    let session_id = resolve(client, arguments.which.session).await?;
    let cassette = client.get_text(&format!("/api/v1/sessions/{session_id}/export")).await?;
    match &arguments.output {
        Some(path) => write_file(path, &cassette),
        None => print(&cassette),
    }
}

fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

fn print(text: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "{text}").context("writing the response")
}
