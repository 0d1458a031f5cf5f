//! `tarsy demo`: the server as it is, on an incident of a small shop, with the first alert already sent.
//!
//! What is shown is in the demo's own crate. Serving is the business of `serve`.

mod welcome;

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use tarsy_config::{Environment, Loaded};
use tarsy_demo::{Alert, Cast, Incident, Pace, Setting, serve_cluster};
use tarsy_server::LocalAlert;

use crate::arguments::{DemoArguments, DemoClusterArguments, DemoPace, Shared};
use crate::check::print_warnings;
use crate::home::Home;
use crate::mcp_guard::own_program;
use crate::serve::{Open, Outfit, run, runtime, stop_on_signal};
use welcome::Welcome;

/// The file of the database.
const DATABASE: &str = "demo.db";
/// Who is shown to have sent the first alert.
const AUTHOR: &str = "the demo";

/// Shows an incident until the process is told to stop.
pub(crate) fn demo(shared: &Shared, arguments: &DemoArguments) -> anyhow::Result<()> {
    let environment = Environment::from_process();
    let home = Home::find(shared, "tarsy-demo-")?;
    let setting = setting(arguments.incident, arguments.pace, &environment)?;
    let Loaded { config, warnings } = setting.load(&home.demo_config(), &environment)?;
    print_warnings(&warnings)?;
    let outfit = Outfit::new(Arc::new(config), environment, warnings)?;
    runtime()?.block_on(async {
        let stop = stop_on_signal()?;
        run(&outfit, &home.database_url(DATABASE), arguments.listen, stop, async |open| {
            begin(&setting, &home, open).await
        })
        .await
    })
}

/// Is the MCP server of the demo until its client leaves.
pub(crate) fn demo_cluster(arguments: &DemoClusterArguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.context("starting the runtime")?.block_on(serve_cluster(arguments.incident))?)
}

/// The setting of an incident, investigated by whoever the environment has a key for.
pub(crate) fn setting(
    incident: &'static Incident,
    pace: DemoPace,
    environment: &Environment,
) -> anyhow::Result<Setting> {
    let pace = match pace {
        DemoPace::Real => Pace::Real,
        DemoPace::Fast => Pace::Fast,
    };
    Ok(Setting { incident, pace, cast: Cast::of(environment), program: own_program()? })
}

/// Sends the first alert and says where to look.
async fn begin(setting: &Setting, home: &Home, open: Open) -> anyhow::Result<()> {
    let Alert { alert_type, data } = setting.alert(jiff::Timestamp::now());
    let alert = LocalAlert { alert_type, data, author: AUTHOR.to_owned() };
    let session_id = open.app.submit(alert).await.context("sending the first alert")?;
    let welcome = Welcome { setting, home, address: open.address, session_id };
    write!(std::io::stdout(), "{welcome}").context("writing what there is to see")
}
