//! The session part of a cassette: what is needed to run the session again, and its outcome.

use std::collections::BTreeMap;

use tarsy_config::Config;
use tarsy_domain::{ExecutionKind, RecordedProvider, RecordedSession};
use tarsy_store::{StoreError, decode_json};

use super::outcome::recorded_outcome;
use super::records::SessionRecords;
use super::tools::servers;

/// Returns the session part. Prompts, instructions and limits are those of the current configuration.
pub(super) fn recorded_session(
    records: &SessionRecords,
    config: &Config,
) -> Result<RecordedSession, StoreError> {
    let session_id = records.session.session_id;
    let input = &records.input;
    let selection = input.mcp_selection.as_deref();
    let templates = config.templates().iter();
    let chats = records.executions.iter().filter(|one| one.execution.identity.kind == ExecutionKind::Chat);
    Ok(RecordedSession {
        alert_type: records.session.alert_type.clone(),
        alert: input.alert_data.clone(),
        runbook: Some(records.runbook.clone()).filter(|text| !text.is_empty()),
        mcp_selection: selection.map(|text| decode_json("mcp_selection", session_id, text)).transpose()?,
        chain: decode_json("chain_snapshot", session_id, &input.chain_snapshot)?,
        prompts: templates.map(|file| (file.name.clone(), file.source.clone())).collect(),
        providers: providers(records, config),
        tools: servers(records, config),
        questions: chats.count(),
        outcome: recorded_outcome(records)?,
    })
}

/// Returns the primary providers of the executions. Their context window is recorded, their other limits are
/// not.
fn providers(records: &SessionRecords, config: &Config) -> BTreeMap<String, RecordedProvider> {
    let executions = records.investigating().into_iter();
    executions
        .map(|one| {
            let name = one.execution.identity.llm_provider.clone();
            let configured = config.providers().get(&name);
            let provider = RecordedProvider {
                context_window: one.setup.limits.context_window,
                max_tool_result_tokens: configured.and_then(|provider| provider.max_tool_result_tokens),
            };
            (name, provider)
        })
        .collect()
}
