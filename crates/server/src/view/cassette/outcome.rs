//! What came of a recorded session, so that whoever runs it again can tell whether it came to the same.

use serde::Serialize;
use sha2::{Digest, Sha256};
use tarsy_domain::{Message, Role, SessionStatus, TokenUsage, WorkStatus};
use tarsy_store::StoreError;
use utoipa::ToSchema;

use super::recorded::{RecordedExecution, RecordedSession};
use crate::access::hexadecimal;

/// What came of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteOutcome {
    status: SessionStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    final_analysis: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executive_summary: Option<String>,
    /// Everybody who investigated, stage by stage.
    executions: Vec<CassetteExecution>,
}

/// What came of an execution.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteExecution {
    /// Who it was, as in `agents`.
    agent: String,
    status: WorkStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    model_calls: usize,
    tool_calls: usize,
    usage: TokenUsage,
    /// Its conversation.
    messages: Vec<CassetteMessage>,
}

/// A message of a conversation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CassetteMessage {
    role: Role,
    /// The SHA-256 of the message as JSON: its text, its tool calls and what the provider keeps beside them.
    sha256: String,
}

impl CassetteOutcome {
    pub(super) fn of(recorded: &RecordedSession) -> Result<Self, StoreError> {
        let session = &recorded.session;
        let executions = recorded.investigating().into_iter();
        Ok(Self {
            status: session.status,
            error: session.error_message.clone(),
            final_analysis: session.final_analysis.clone(),
            executive_summary: session.executive_summary.clone(),
            executions: executions
                .map(|one| CassetteExecution::of(recorded, one))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl CassetteExecution {
    fn of(recorded: &RecordedSession, one: &RecordedExecution) -> Result<Self, StoreError> {
        let execution = &one.execution;
        Ok(Self {
            agent: recorded.name_of(execution),
            status: execution.status,
            error: execution.error_message.clone(),
            model_calls: recorded.model_calls(execution).len(),
            tool_calls: recorded.tool_calls(execution).len(),
            usage: execution.usage,
            messages: one.messages.iter().map(CassetteMessage::of).collect::<Result<_, _>>()?,
        })
    }
}

impl CassetteMessage {
    fn of(message: &Message) -> Result<Self, StoreError> {
        let json = serde_json::to_string(message).map_err(|error| StoreError::Corrupt {
            column: "messages".to_owned(),
            problem: error.to_string(),
        })?;
        Ok(Self { role: message.role, sha256: hexadecimal(&Sha256::digest(json)) })
    }
}
