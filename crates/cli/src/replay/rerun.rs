//! Runs a recorded session on the engine.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressFinish};
use tarsy_config::{Config, Loaded};
use tarsy_domain::{Message, RecordedOutcome, RecordedSession, SessionId, Timestamp};
use tarsy_replay::{Recording, ReplayConfig};
use tarsy_server::export;
use tarsy_store::{NewSession, QueueLimit, SessionInput, Store};
use tokio_util::sync::CancellationToken;

use crate::local_engine::LocalEngine;
use crate::mcp_guard::own_program;
use crate::serve::ProcessResources;
use crate::terminal::single_line;

/// The maximum length of the progress line.
const STEP_CHARACTERS: usize = 76;

/// The result of a replay.
pub(super) struct Rerun {
    pub(super) outcome: RecordedOutcome,
    /// The messages by agent, named as on the cassette.
    pub(super) conversations: BTreeMap<String, Vec<Message>>,
}

impl Rerun {
    /// Replays a session. Returns `None` if it was stopped.
    pub(super) async fn run(recording: &Recording, stop: &CancellationToken) -> anyhow::Result<Option<Self>> {
        let directory = tempfile::Builder::new().prefix("tarsy-replay-").tempdir();
        let directory = directory.context("creating a temporary directory")?;
        let program = own_program()?;
        let replay = ReplayConfig { recording, program: &program };
        let Loaded { config, warnings } = replay.load(&directory.path().join("config"))?;
        let resources = ProcessResources::new(Arc::new(config), warnings)?;
        let engine = LocalEngine::start(&resources, &database_url(directory.path())).await?;
        let session_id = submit(&engine.store, recording).await?;
        tokio::select! {
            ended = wait_for_end(&engine.store, session_id) => ended?,
            // The work in progress is dropped: its database is temporary.
            () = stop.cancelled() => return Ok(None),
        }
        let rerun = Self::read(&engine.store, &resources.config(), session_id).await?;
        engine.stop().await;
        Ok(Some(rerun))
    }

    async fn read(store: &Store, config: &Config, session_id: SessionId) -> anyhow::Result<Self> {
        let session =
            export(store, config, session_id).await?.session.context("the export has no session")?;
        let RecordedSession { outcome, .. } =
            serde_json::from_value(session).context("reading the exported session")?;
        let stages = store.stage_list(session_id).await?;
        let mut conversations = BTreeMap::new();
        for execution in store.execution_list(session_id).await? {
            let identity = execution.identity;
            let stage = stages.iter().find(|stage| Some(stage.stage_id) == identity.stage_id);
            let stage = stage.map(|stage| format!("{}/", stage.name)).unwrap_or_default();
            let messages = store.message_list(identity.execution_id).await?.into_iter();
            let messages = messages.map(|recorded| recorded.message.message).collect();
            conversations.insert(stage + &identity.agent_name, messages);
        }
        Ok(Self { outcome, conversations })
    }
}

fn database_url(directory: &Path) -> String {
    format!("sqlite:{}", directory.join("replay.db").display())
}

/// Submits the session as it was recorded. The runbook comes from the configuration, where it is a text even if it looks
/// like a URL.
async fn submit(store: &Store, recording: &Recording) -> anyhow::Result<SessionId> {
    let Recording { session, chain, .. } = recording;
    let session_id = SessionId::new();
    let new = NewSession {
        session_id,
        alert_id: session_id.to_string(),
        alert_type: session.alert_type.clone(),
        chain_id: chain.id.clone(),
        stages: chain.stages.iter().map(|stage| stage.name.clone()).collect(),
        author: None,
        input: SessionInput {
            alert_data: session.alert.clone(),
            runbook: None,
            mcp_selection: session.mcp_selection.as_ref().map(ToString::to_string),
            slack_message_fingerprint: None,
            chain_snapshot: session.chain.to_string(),
            masked_values: None,
        },
    };
    store.session_insert(new, QueueLimit::Unlimited, Timestamp::now()).await?;
    Ok(session_id)
}

/// Waits for the end of the session and shows the current step on the terminal.
async fn wait_for_end(store: &Store, session_id: SessionId) -> anyhow::Result<()> {
    let progress = ProgressBar::new_spinner().with_finish(ProgressFinish::AndClear);
    let mut watch = store.session_subscribe(session_id);
    loop {
        watch.changed().await;
        let session = store.session_fetch(session_id).await?.context("the session was deleted")?;
        if session.status.is_terminal() {
            return Ok(());
        }
        let step = session.current_step.as_deref().unwrap_or("Starting");
        progress.set_message(single_line(step, STEP_CHARACTERS));
    }
}
