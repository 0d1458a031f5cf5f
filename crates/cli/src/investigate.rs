//! `tarsy investigate`: one investigation from its alert to its report, in the terminal.

mod alert;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use serde::Deserialize;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_domain::{Secret, SessionId};
use tokio_util::sync::CancellationToken;

use crate::arguments::{InvestigateArguments, Shared};
use crate::check::print_warnings;
use crate::client::{Client, ClientError, SessionView};
use crate::demo::setting;
use crate::exit_status::{INTERRUPTED, MISUSED, exit_status_of};
use crate::home::Home;
use crate::serve::{Outfit, runtime, stop_on_signal};
use crate::terminal::say;
use crate::watch::{Form, Report, watch};
use crate::workshop::Workshop;
use alert::Alert;

/// The file of the database.
const DATABASE: &str = "investigations.db";
/// The variable with the token that a server is shown.
const TOKEN_VARIABLE: &str = "TARSY_TOKEN";

/// Investigates one alert and reports. The exit status says how it ended.
pub(crate) fn investigate(shared: &Shared, arguments: &InvestigateArguments) -> anyhow::Result<ExitCode> {
    let papers = Papers::prepare(arguments)?;
    let environment = Environment::from_process();
    let ended = runtime()?.block_on(async {
        let stop = stop_on_signal()?;
        match &arguments.server {
            Some(server) => elsewhere(server, &environment, arguments, &papers, &stop).await,
            None => here(shared, environment, arguments, &papers, &stop).await,
        }
    })?;
    Ok(ExitCode::from(ended))
}

/// How this process is known to a server.
pub(crate) fn own_token(environment: &Environment) -> Option<Secret> {
    environment.get(TOKEN_VARIABLE).filter(|token| !token.is_empty()).map(Secret::new)
}

/// Has a running server investigate. It goes on when nobody watches any more.
async fn elsewhere(
    server: &str,
    environment: &Environment,
    arguments: &InvestigateArguments,
    papers: &Papers,
    stop: &CancellationToken,
) -> anyhow::Result<u8> {
    let client = Client::remote(server, own_token(environment))?;
    let alert = Alert::read(arguments.file.as_deref(), arguments.alert_type.as_deref())?;
    let Some(session_id) = submit(&client, alert).await? else { return Ok(MISUSED) };
    let session = tokio::select! {
        ended = watch(&client, session_id, form(arguments)) => ended?,
        () = stop.cancelled() => {
            say(&format!(
                "The server goes on with it. Look again with `tarsy sessions watch {session_id} --server {server}`, or \
                 end it with `tarsy sessions cancel {session_id} --server {server}`."
            ))?;
            return Ok(INTERRUPTED);
        }
    };
    papers.write(&client, &session).await?;
    Ok(exit_status_of(session.row.status))
}

/// Investigates in this process.
async fn here(
    shared: &Shared,
    environment: Environment,
    arguments: &InvestigateArguments,
    papers: &Papers,
    stop: &CancellationToken,
) -> anyhow::Result<u8> {
    let home = Home::find(shared, "tarsy-investigate-")?;
    let (Loaded { config, warnings }, alert) = assignment(shared, &home, &environment, arguments)?;
    print_warnings(&warnings)?;
    let outfit = Outfit::new(Arc::new(config), environment, warnings)?;
    let workshop = Workshop::open(&outfit, &home.database_url(DATABASE)).await?;
    let ended = conduct(&workshop.client, alert, arguments, papers, stop).await;
    workshop.close().await;
    ended
}

/// By which configuration what is investigated.
fn assignment(
    shared: &Shared,
    home: &Home,
    environment: &Environment,
    arguments: &InvestigateArguments,
) -> anyhow::Result<(Loaded, Alert)> {
    let Some(incident) = arguments.incident else {
        let alert = Alert::read(arguments.file.as_deref(), arguments.alert_type.as_deref())?;
        return Ok((Config::load(shared.config_dir(), environment)?, alert));
    };
    let setting = setting(incident, arguments.pace, environment)?;
    let tarsy_demo::Alert { alert_type, data } = setting.alert(jiff::Timestamp::now());
    Ok((setting.load(&home.demo_config(), environment)?, Alert::new(&data, Some(&alert_type))?))
}

/// Sees an investigation to its end, which Ctrl-C brings about sooner.
async fn conduct(
    client: &Client,
    alert: Alert,
    arguments: &InvestigateArguments,
    papers: &Papers,
    stop: &CancellationToken,
) -> anyhow::Result<u8> {
    let Some(session_id) = submit(client, alert).await? else { return Ok(MISUSED) };
    let mut watching = pin!(watch(client, session_id, form(arguments)));
    let session = tokio::select! {
        ended = watching.as_mut() => ended?,
        () = stop.cancelled() => {
            match client.cancel(session_id).await {
                // It ended by itself in this very moment.
                Ok(_) | Err(ClientError::Refused { .. }) => watching.await?,
                Err(error) => return Err(error.into()),
            }
        }
    };
    papers.write(client, &session).await?;
    Ok(exit_status_of(session.row.status))
}

/// Hands in an alert; nothing, if it was refused and that was said.
async fn submit(client: &Client, alert: Alert) -> anyhow::Result<Option<SessionId>> {
    #[derive(Deserialize)]
    struct Submitted {
        session_id: SessionId,
    }
    match client.post::<Submitted>("/api/v1/alerts", alert.sent()).await {
        Ok(submitted) => Ok(Some(submitted.session_id)),
        Err(refused @ ClientError::Refused { .. }) => say(&refused).map(|()| None),
        Err(error) => Err(error.into()),
    }
}

fn form(arguments: &InvestigateArguments) -> Form {
    if arguments.json { Form::Json } else { Form::Story }
}

/// What is written at the end.
struct Papers {
    form: Form,
    report: Option<Paper>,
    cassette: Option<Paper>,
}

/// A file that was opened before anything was paid for.
struct Paper {
    path: PathBuf,
    file: File,
}

impl Papers {
    fn prepare(arguments: &InvestigateArguments) -> anyhow::Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(Paper::open).transpose();
        Ok(Self {
            form: form(arguments),
            report: open(&arguments.output)?,
            cassette: open(&arguments.record)?,
        })
    }

    async fn write(&self, client: &Client, session: &SessionView) -> anyhow::Result<()> {
        let session_id = session.row.session_id;
        if let Some(paper) = &self.report {
            paper.write(&Report(session).to_string())?;
        }
        if let Some(paper) = &self.cassette {
            paper.write(&client.get_text(&format!("/api/v1/sessions/{session_id}/export")).await?)?;
        }
        match self.form {
            Form::Story => Report(session).print(),
            Form::Json => {
                let data = client.get_text(&format!("/api/v1/sessions/{session_id}")).await?;
                writeln!(std::io::stdout(), r#"{{"type":"result","data":{data}}}"#)
                    .context("writing the result")
            }
        }
    }
}

impl Paper {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::create(path).with_context(|| format!("writing {}", path.display()))?;
        Ok(Self { path: path.to_owned(), file })
    }

    fn write(&self, text: &str) -> anyhow::Result<()> {
        (&self.file).write_all(text.as_bytes()).with_context(|| format!("writing {}", self.path.display()))
    }
}
