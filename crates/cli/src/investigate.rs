//! `tarsy investigate`: investigates one alert and prints the report.

mod output;
mod payload;

use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use serde::Deserialize;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_demo::DemoAlert;
use tarsy_domain::{Secret, SessionId};

use crate::arguments::{GlobalArguments, InvestigateArguments};
use crate::check::print_warnings;
use crate::client::{ApiClient, ClientError, SessionView};
use crate::demo::demo_config;
use crate::exit_status::{INTERRUPTED, USAGE_ERROR, exit_status_of};
use crate::local_engine::LocalEngine;
use crate::serve::{ProcessResources, runtime};
use crate::signals::{StopRequests, stop_requests};
use crate::terminal::eprint_line;
use crate::watch::{WatchFormat, watch};
use crate::work_directory::WorkDirectory;
use output::OutputFiles;
use payload::AlertPayload;

/// The name of the database file.
const DATABASE: &str = "investigations.db";
/// The variable with the token for a server.
const TOKEN_VARIABLE: &str = "TARSY_TOKEN";

/// Investigates one alert and prints the report. The exit status depends on the status of the session.
pub(crate) fn investigate(
    global: &GlobalArguments,
    arguments: &InvestigateArguments,
) -> anyhow::Result<ExitCode> {
    let outputs = OutputFiles::create(arguments)?;
    let environment = Environment::from_process();
    let exit_status = runtime()?.block_on(async {
        let stop = stop_requests()?;
        match &arguments.server {
            Some(server) => investigate_remotely(server, &environment, arguments, &outputs, &stop).await,
            None => investigate_locally(global, &environment, arguments, &outputs, &stop).await,
        }
    })?;
    Ok(ExitCode::from(exit_status))
}

/// Returns the token for a server, if the environment has one.
pub(crate) fn token_from(environment: &Environment) -> Option<Secret> {
    environment.get(TOKEN_VARIABLE).filter(|token| !token.is_empty()).map(Secret::new)
}

/// Submits the alert to a server and watches the session. It continues if the user stops watching.
async fn investigate_remotely(
    server: &str,
    environment: &Environment,
    arguments: &InvestigateArguments,
    outputs: &OutputFiles,
    stop: &StopRequests,
) -> anyhow::Result<u8> {
    let client = ApiClient::remote(server, token_from(environment))?;
    let alert = AlertPayload::read(arguments.file.as_deref(), arguments.alert_type.as_deref())?;
    let Some(session_id) = submit(&client, alert).await? else { return Ok(USAGE_ERROR) };
    let session = tokio::select! {
        ended = watch(&client, session_id, format_of(arguments)) => ended?,
        () = stop.stop.cancelled() => {
            eprint_line(&format!(
                "The session continues on the server. Watch it with `tarsy sessions watch {session_id} --server {server}`, or \
                 cancel it with `tarsy sessions cancel {session_id} --server {server}`."
            ))?;
            outputs.write_unfinished(&client, session_id).await?;
            return Ok(INTERRUPTED);
        }
    };
    outputs.write(&client, &session).await?;
    Ok(exit_status_of(session.row.status))
}

/// Investigates in this process.
async fn investigate_locally(
    global: &GlobalArguments,
    environment: &Environment,
    arguments: &InvestigateArguments,
    outputs: &OutputFiles,
    stop: &StopRequests,
) -> anyhow::Result<u8> {
    let directory = WorkDirectory::create(global, "tarsy-investigate-")?;
    let (Loaded { config, warnings }, alert) = load_input(global, &directory, environment, arguments)?;
    print_warnings(&warnings)?;
    let resources = ProcessResources::new(Arc::new(config), warnings)?;
    let engine = LocalEngine::start(&resources, &directory.database_url(DATABASE)).await?;
    let exit_status = submit_and_watch(&engine.client, alert, arguments, outputs, stop).await;
    tokio::select! {
        () = engine.stop() => {}
        () = stop.stop_now.cancelled() => {}
    }
    exit_status
}

/// Loads the configuration and the alert of this run.
fn load_input(
    global: &GlobalArguments,
    directory: &WorkDirectory,
    environment: &Environment,
    arguments: &InvestigateArguments,
) -> anyhow::Result<(Loaded, AlertPayload)> {
    let Some(incident) = arguments.incident else {
        let alert = AlertPayload::read(arguments.file.as_deref(), arguments.alert_type.as_deref())?;
        return Ok((Config::load(global.config_dir(), environment)?, alert));
    };
    let demo = demo_config(incident, arguments.pace, environment)?;
    let DemoAlert { alert_type, data } = demo.alert(jiff::Timestamp::now());
    let alert = AlertPayload::new(&data, Some(&alert_type))?;
    Ok((demo.load(&directory.demo_config(), environment)?, alert))
}

/// Submits the alert and watches the session until it ends. Ctrl-C cancels it. A second Ctrl-C does not wait for its
/// end.
async fn submit_and_watch(
    client: &ApiClient,
    alert: AlertPayload,
    arguments: &InvestigateArguments,
    outputs: &OutputFiles,
    stop: &StopRequests,
) -> anyhow::Result<u8> {
    let Some(session_id) = submit(client, alert).await? else { return Ok(USAGE_ERROR) };
    let mut watching = pin!(watch(client, session_id, format_of(arguments)));
    let ended = tokio::select! {
        ended = watching.as_mut() => ended,
        () = stop.stop.cancelled() => tokio::select! {
            ended = cancel_and_watch(client, session_id, watching.as_mut()) => ended,
            () = stop.stop_now.cancelled() => {
                outputs.write_unfinished(client, session_id).await?;
                return Ok(INTERRUPTED);
            }
        },
    };
    let session = match ended {
        Ok(session) => session,
        Err(error) => {
            outputs.write_unfinished(client, session_id).await?;
            return Err(error);
        }
    };
    outputs.write(client, &session).await?;
    Ok(exit_status_of(session.row.status))
}

async fn cancel_and_watch(
    client: &ApiClient,
    session_id: SessionId,
    watching: impl Future<Output = anyhow::Result<SessionView>>,
) -> anyhow::Result<SessionView> {
    match client.cancel(session_id).await {
        // A rejected request means that the session has just ended on its own.
        Ok(_) | Err(ClientError::Rejected { .. }) => watching.await,
        Err(error) => Err(error.into()),
    }
}

/// Submits an alert. Returns `None` if the server rejected it, after printing why.
async fn submit(client: &ApiClient, alert: AlertPayload) -> anyhow::Result<Option<SessionId>> {
    #[derive(Deserialize)]
    struct SubmittedSession {
        session_id: SessionId,
    }
    match client.post::<SubmittedSession>("/api/v1/alerts", alert.into_body()).await {
        Ok(submitted) => Ok(Some(submitted.session_id)),
        Err(rejected @ ClientError::Rejected { .. }) => eprint_line(&rejected).map(|()| None),
        Err(error) => Err(error.into()),
    }
}

fn format_of(arguments: &InvestigateArguments) -> WatchFormat {
    if arguments.json { WatchFormat::Json } else { WatchFormat::Text }
}
