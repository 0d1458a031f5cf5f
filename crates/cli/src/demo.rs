//! `tarsy demo`: a normal server with the configuration of an incident, and its first alert submitted.
//!
//! The incidents are in the `tarsy-demo` crate; `serve` runs the server.

mod banner;

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use tarsy_config::{Environment, Loaded};
use tarsy_demo::{DemoAlert, DemoConfig, DemoModel, DemoPace, Incident, serve_cluster};
use tarsy_server::LocalAlert;

use crate::arguments::{DemoArguments, DemoClusterArguments, GlobalArguments, PaceArgument};
use crate::check::print_warnings;
use crate::mcp_guard::own_program;
use crate::serve::{ListeningServer, ProcessResources, run, runtime};
use crate::signals::stop_on_signal;
use crate::work_directory::WorkDirectory;
use banner::Banner;

/// The name of the database file.
const DATABASE: &str = "demo.db";
/// The author of the first alert.
const AUTHOR: &str = "the demo";

/// Serves an incident until the process receives a signal.
pub(crate) fn demo(global: &GlobalArguments, arguments: &DemoArguments) -> anyhow::Result<()> {
    let environment = Environment::from_process();
    let directory = WorkDirectory::create(global, "tarsy-demo-")?;
    let demo = demo_config(arguments.incident, arguments.pace, &environment)?;
    let Loaded { config, warnings } = demo.load(&directory.demo_config(), &environment)?;
    print_warnings(&warnings)?;
    let resources = ProcessResources::new(Arc::new(config), warnings)?;
    runtime()?.block_on(async {
        let stop = stop_on_signal()?;
        run(&resources, &directory.database_url(DATABASE), arguments.listen, stop, async |server| {
            start_session(&demo, &directory, server).await
        })
        .await
    })
}

/// Serves the MCP server of the demo until its client disconnects.
pub(crate) fn demo_cluster(arguments: &DemoClusterArguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.context("starting the runtime")?.block_on(serve_cluster(arguments.incident))?)
}

/// Returns the configuration of an incident. The environment selects the model.
pub(crate) fn demo_config(
    incident: &'static Incident,
    pace: PaceArgument,
    environment: &Environment,
) -> anyhow::Result<DemoConfig> {
    let pace = match pace {
        PaceArgument::Real => DemoPace::Real,
        PaceArgument::Fast => DemoPace::Fast,
    };
    Ok(DemoConfig {
        incident,
        pace,
        model: DemoModel::from_environment(environment),
        program: own_program()?,
    })
}

/// Submits the first alert and prints the banner.
async fn start_session(
    demo: &DemoConfig,
    directory: &WorkDirectory,
    server: ListeningServer,
) -> anyhow::Result<()> {
    let DemoAlert { alert_type, data } = demo.alert(jiff::Timestamp::now());
    let alert = LocalAlert { alert_type, data, author: AUTHOR.to_owned() };
    let session_id = server.app.submit(alert).await.context("submitting the first alert")?;
    let banner = Banner { demo, directory, address: server.address, session_id };
    write!(std::io::stdout(), "{banner}").context("writing the banner")
}
