//! A recorded session that was run again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressFinish};
use tarsy_config::{Config, Loaded};
use tarsy_domain::{Message, SessionId, Timestamp};
use tarsy_replay::{Outcome, Recording, Setting};
use tarsy_server::export;
use tarsy_store::{NewSession, QueueLimit, SessionInput, Store};
use tokio_util::sync::CancellationToken;

use crate::mcp_guard::own_program;
use crate::serve::Outfit;
use crate::terminal::line_of;
use crate::workshop::Workshop;

/// How much is shown of what is being done.
const STEP_CHARACTERS: usize = 76;

/// What came of running a session again.
pub(super) struct Rerun {
    pub(super) outcome: Outcome,
    /// What was said, by the names of the agents.
    pub(super) conversations: BTreeMap<String, Vec<Message>>,
}

impl Rerun {
    /// Runs a session again; nothing comes of it if somebody wants it to stop.
    pub(super) async fn of(recording: &Recording, stop: &CancellationToken) -> anyhow::Result<Option<Self>> {
        let home = tempfile::Builder::new().prefix("tarsy-replay-").tempdir();
        let home = home.context("making a temporary directory")?;
        let program = own_program()?;
        let setting = Setting { recording, program: &program };
        let (Loaded { config, warnings }, environment) = setting.load(&home.path().join("config"))?;
        let outfit = Outfit::new(Arc::new(config), environment, warnings)?;
        let workshop = Workshop::open(&outfit, &database_url(home.path())).await?;
        let session_id = submit(&workshop.store, recording).await?;
        tokio::select! {
            ended = until_it_ends(&workshop.store, session_id) => ended?,
            // Nobody wants what is under way any more, and it is recorded nowhere that stays.
            () = stop.cancelled() => return Ok(None),
        }
        let rerun = Self::read(&workshop.store, &outfit.config(), session_id).await?;
        workshop.close().await;
        Ok(Some(rerun))
    }

    async fn read(store: &Store, config: &Config, session_id: SessionId) -> anyhow::Result<Self> {
        let exported = serde_json::to_value(export(store, config, session_id).await?)?;
        let outcome = Outcome::of_export(exported).context("reading what came of it")?;
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

fn database_url(home: &Path) -> String {
    format!("sqlite:{}", home.join("replay.db").display())
}

/// Enters the session as it was entered then. Its runbook comes from the configuration, which takes it for a text even
/// if it looks like an address.
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
            chain_snapshot: session.chain.to_string(),
            masked_values: None,
        },
    };
    store.session_insert(new, QueueLimit::Unlimited, Timestamp::now()).await?;
    Ok(session_id)
}

/// Waits for the end, with a line on the terminal that says how far it has come.
async fn until_it_ends(store: &Store, session_id: SessionId) -> anyhow::Result<()> {
    let progress = ProgressBar::new_spinner().with_finish(ProgressFinish::AndClear);
    let mut watch = store.session_watch(session_id);
    loop {
        watch.news().await;
        let session = store.session_fetch(session_id).await?.context("the session is gone")?;
        if session.status.is_terminal() {
            return Ok(());
        }
        let step = session.current_step.as_deref().unwrap_or("It begins");
        progress.set_message(line_of(step, STEP_CHARACTERS));
    }
}
