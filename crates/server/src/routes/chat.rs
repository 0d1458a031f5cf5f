//! `/api/v1/sessions/{session_id}/chat/messages`: the chat about a session that has ended.

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::{ChatMessageId, SessionId, Timestamp};
use tarsy_masking::LedgerRecord;
use tarsy_store::{AskOutcome, ChatMessage, ChatQuestion, decode_json, encode_json};
use utoipa::ToSchema;

use super::session::{SessionPath, fetch_investigation, require_session};
use crate::access::Principal;
use crate::error::ErrorResponse;
use crate::extract::{JsonBody, PathParams};
use crate::intake::MaskedAlert;
use crate::view::{ChatResponse, Investigation};
use crate::{ApiError, App};

/// Maximum length of a question in characters. Longer text belongs in an alert.
const MAX_QUESTION_CHARACTERS: usize = 20_000;
/// The author of questions without authentication. Every question has an author; replies have none.
const ANONYMOUS: &str = "anonymous";

/// A question about a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskQuestionRequest {
    /// The question.
    #[schema(min_length = 1, max_length = 20000, pattern = r"\S")]
    content: String,
}

/// An accepted question.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AskQuestionResponse {
    /// The session.
    session_id: SessionId,
    /// The question.
    chat_message_id: ChatMessageId,
    /// Position of the question in the chat, from 1.
    sequence: u64,
}

/// Asks a question about a session that has ended.
///
/// The reply is generated asynchronously: it is streamed on the session's channel and added to the chat.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/{session_id}/chat/messages",
    tag = "chat",
    params(SessionPath),
    request_body = AskQuestionRequest,
    responses(
        (status = 202, description = "The question is queued.", body = AskQuestionResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
        (
            status = 409,
            description = "The session has not ended, an earlier question has no reply yet, or the chain disables chat.",
            body = ErrorResponse
        ),
    )
)]
pub(crate) async fn ask_question(
    State(app): State<App>,
    Extension(principal): Extension<Principal>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
    JsonBody(request): JsonBody<AskQuestionRequest>,
) -> Result<(StatusCode, Json<AskQuestionResponse>), ApiError> {
    let content = validated(request.content)?;
    let known = require_chat(&app, session_id).await?;
    let MaskedAlert { texts: [content], masked_values } =
        app.alert_mask.mask_further(session_id, &known, [content]);
    let message = ChatMessage {
        chat_message_id: ChatMessageId::new(),
        author: Some(principal.name.unwrap_or_else(|| ANONYMOUS.to_owned())),
        execution_id: None,
        content,
        created_at: Timestamp::now(),
    };
    let chat_message_id = message.chat_message_id;
    let masked_values = masked_values.map(|record| encode_json("masked_values", &record)).transpose()?;
    let question = ChatQuestion { message, masked_values };
    let sequence = accepted(session_id, app.store.chat_ask(session_id, question).await?)?;
    Ok((StatusCode::ACCEPTED, Json(AskQuestionResponse { session_id, chat_message_id, sequence })))
}

/// Lists the messages of a session's chat.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/chat/messages",
    tag = "chat",
    params(SessionPath),
    responses(
        (status = 200, description = "The chat.", body = ChatResponse),
        (status = 404, description = "The session does not exist.", body = ErrorResponse),
    )
)]
pub(crate) async fn list_chat_messages(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<Json<ChatResponse>, ApiError> {
    require_session(&app, session_id).await?;
    Ok(Json(app.store.chat_message_list(session_id).await?.into()))
}

fn validated(content: String) -> Result<String, ApiError> {
    let characters = content.chars().count();
    if content.trim().is_empty() {
        return Err(ApiError::bad("content", "must not be empty"));
    }
    if characters > MAX_QUESTION_CHARACTERS {
        let problem = format!("has {characters} characters, expected at most {MAX_QUESTION_CHARACTERS}");
        return Err(ApiError::bad("content", problem));
    }
    Ok(content)
}

/// Checks that the chain enables chat, and returns the ledger of masked values. The ledger cannot change
/// concurrently: no question is accepted while a session is running.
async fn require_chat(app: &App, session_id: SessionId) -> Result<LedgerRecord, ApiError> {
    let Investigation { session, chain, input, .. } = fetch_investigation(app, session_id).await?;
    if chain.get("chat").is_none_or(Value::is_null) {
        return Err(ApiError::Conflict(format!("chat is disabled for chain {}", session.chain_id)));
    }
    let Some(record) = input.masked_values else { return Ok(LedgerRecord::default()) };
    Ok(decode_json("masked_values", session_id, &record)?)
}

fn accepted(session_id: SessionId, outcome: AskOutcome) -> Result<u64, ApiError> {
    match outcome {
        AskOutcome::Asked(sequence) => Ok(sequence),
        AskOutcome::NotEnded(status) => Err(ApiError::Conflict(format!(
            "session {session_id} is {status}; ask questions after it has ended"
        ))),
        AskOutcome::Unanswered => Err(ApiError::Conflict(format!(
            "an earlier question about session {session_id} has no reply yet; wait for it"
        ))),
    }
}
