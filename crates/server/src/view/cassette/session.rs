//! The session that a cassette was recorded from: all that it takes to run it again, and what came of it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use tarsy_config::Config;
use tarsy_domain::ExecutionKind;
use tarsy_store::StoreError;
use utoipa::ToSchema;

use super::outcome::CassetteOutcome;
use super::recorded::RecordedSession;
use super::tools::{CassetteServer, servers};
use crate::view::investigation::recorded_json;

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteSession {
    alert_type: String,
    /// What the alert says, masked.
    alert: String,
    /// The text of the runbook.
    #[serde(skip_serializing_if = "Option::is_none")]
    runbook: Option<String>,
    /// The alert's own choice of MCP servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp_selection: Option<Value>,
    /// The chain as it was when the alert came.
    chain: Value,
    /// Prompt templates that replace built-in ones, by their names, as they are configured now.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    prompts: BTreeMap<String, String>,
    /// What agents were bound by, by the names of their providers.
    providers: BTreeMap<String, CassetteProvider>,
    /// The MCP servers.
    tools: BTreeMap<String, CassetteServer>,
    /// How many questions were asked in the chat; what was answered is in `agents`.
    questions: usize,
    outcome: CassetteOutcome,
}

/// What the agents of a provider are bound by.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct CassetteProvider {
    /// Tokens that its model can read and write in one call.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_window: Option<u64>,
    /// A tool result longer than this was cut, as it is configured now.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tool_result_tokens: Option<u32>,
}

impl CassetteSession {
    pub(super) fn of(recorded: &RecordedSession, config: &Config) -> Result<Self, StoreError> {
        let input = &recorded.input;
        let selection = input.mcp_selection.as_deref();
        let templates = config.templates().iter();
        let chats =
            recorded.executions.iter().filter(|one| one.execution.identity.kind == ExecutionKind::Chat);
        Ok(Self {
            alert_type: recorded.session.alert_type.clone(),
            alert: input.alert_data.clone(),
            runbook: Some(recorded.runbook.clone()).filter(|text| !text.is_empty()),
            mcp_selection: selection.map(|text| recorded_json(text, "mcp_selection")).transpose()?,
            chain: recorded_json(&input.chain_snapshot, "chain_snapshot")?,
            prompts: templates.map(|file| (file.name.clone(), file.source.clone())).collect(),
            providers: providers(recorded, config),
            tools: servers(recorded, config)?,
            questions: chats.count(),
            outcome: CassetteOutcome::of(recorded)?,
        })
    }
}

/// The providers that agents began with. How much their models could read is recorded; the rest is not.
fn providers(recorded: &RecordedSession, config: &Config) -> BTreeMap<String, CassetteProvider> {
    let executions = recorded.investigating().into_iter();
    executions
        .map(|one| {
            let name = one.execution.identity.llm_provider.clone();
            let configured = config.providers().get(&name);
            let provider = CassetteProvider {
                context_window: one.setup.limits.context_window,
                max_tool_result_tokens: configured.and_then(|provider| provider.max_tool_result_tokens),
            };
            (name, provider)
        })
        .collect()
}
