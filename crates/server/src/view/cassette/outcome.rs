//! The outcome of a recorded session, which a replay is compared with.

use sha2::{Digest, Sha256};
use tarsy_domain::{Message, MessageDigest, RecordedExecution, RecordedOutcome};
use tarsy_store::{StoreError, encode_json};

use super::records::{ExecutionRecords, SessionRecords};

/// Returns the outcome of a session.
pub(super) fn recorded_outcome(records: &SessionRecords) -> Result<RecordedOutcome, StoreError> {
    let session = &records.session;
    let executions = records.investigating().into_iter();
    Ok(RecordedOutcome {
        status: session.status,
        error: session.error_message.clone(),
        final_analysis: session.final_analysis.clone(),
        executive_summary: session.executive_summary.clone(),
        executions: executions.map(|one| recorded_execution(records, one)).collect::<Result<_, _>>()?,
    })
}

fn recorded_execution(
    records: &SessionRecords,
    one: &ExecutionRecords,
) -> Result<RecordedExecution, StoreError> {
    let execution = &one.execution;
    Ok(RecordedExecution {
        agent: records.name_of(execution),
        status: execution.status,
        error: execution.error_message.clone(),
        model_calls: records.model_calls(execution).len(),
        tool_calls: records.tool_calls(execution).len(),
        usage: execution.usage,
        messages: one.messages.iter().map(message_digest).collect::<Result<_, _>>()?,
    })
}

fn message_digest(message: &Message) -> Result<MessageDigest, StoreError> {
    let json = encode_json("messages", message)?;
    Ok(MessageDigest { role: message.role, sha256: hex::encode(Sha256::digest(json)) })
}
