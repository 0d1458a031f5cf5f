//! `/api/v1/sessions/{session_id}/chat/messages`: questions about a session that has ended.

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
use crate::extract::{PathParams, JsonBody};
use crate::intake::MaskedAlert;
use crate::view::{ChatResponse, Investigation};
use crate::{ApiError, App};

/// A question is no place for logs; those belong into an alert.
const QUESTION_CHARACTERS: usize = 20_000;
/// Who asks where nobody has to say who they are. Answers have no author, so that a question must have one.
const ANONYMOUS: &str = "anonymous";

/// A question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskQuestionRequest {
    /// The question.
    #[schema(min_length = 1, max_length = 20000, pattern = r"\S")]
    content: String,
}

/// A question that will be answered.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AskQuestionResponse {
    session_id: SessionId,
    chat_message_id: ChatMessageId,
    /// Its place in the chat, from 1.
    sequence: u64,
}

/// Asks something about a session that has ended. The answer comes into the chat.
#[utoipa::path(
    post,
    path = "/api/v1/sessions/{session_id}/chat/messages",
    tag = "chat",
    params(SessionPath),
    request_body = AskQuestionRequest,
    responses(
        (status = 202, description = "It will be answered.", body = AskQuestionResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
        (
            status = 409,
            description = "The session has not ended, an earlier question waits for its answer, or the chain has no chat.",
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
    let content = checked(request.content)?;
    let seen = require_chat(&app, session_id).await?;
    let MaskedAlert { texts: [content], masked_values } =
        app.alert_mask.mask_further(session_id, &seen, [content]);
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
    let sequence = asked(session_id, app.store.chat_ask(session_id, question).await?)?;
    Ok((StatusCode::ACCEPTED, Json(AskQuestionResponse { session_id, chat_message_id, sequence })))
}

/// Lists what was said in a session's chat.
#[utoipa::path(
    get,
    path = "/api/v1/sessions/{session_id}/chat/messages",
    tag = "chat",
    params(SessionPath),
    responses(
        (status = 200, description = "The chat.", body = ChatResponse),
        (status = 404, description = "There is no such session.", body = ErrorResponse),
    )
)]
pub(crate) async fn list_chat_messages(
    State(app): State<App>,
    PathParams(SessionPath { session_id }): PathParams<SessionPath>,
) -> Result<Json<ChatResponse>, ApiError> {
    require_session(&app, session_id).await?;
    Ok(Json(app.store.chat_message_list(session_id).await?.into()))
}

fn checked(content: String) -> Result<String, ApiError> {
    let characters = content.chars().count();
    if content.trim().is_empty() {
        return Err(ApiError::bad("content", "it is empty, expected a question"));
    }
    if characters > QUESTION_CHARACTERS {
        let problem = format!("it has {characters} characters, expected at most {QUESTION_CHARACTERS}");
        return Err(ApiError::bad("content", problem));
    }
    Ok(content)
}

/// Chains may turn chat off; asking then would only be answered with a refusal. Answers which secrets were masked so far:
/// nobody finds new ones meanwhile, because nothing can be asked while a session is worked on.
async fn require_chat(app: &App, session_id: SessionId) -> Result<LedgerRecord, ApiError> {
    let Investigation { session, chain, input, .. } = fetch_investigation(app, session_id).await?;
    if chain.get("chat").is_none_or(Value::is_null) {
        return Err(ApiError::Conflict(format!("chat is turned off for chain {}", session.chain_id)));
    }
    let Some(record) = input.masked_values else { return Ok(LedgerRecord::default()) };
    Ok(decode_json("masked_values", session_id, &record)?)
}

fn asked(session_id: SessionId, outcome: AskOutcome) -> Result<u64, ApiError> {
    match outcome {
        AskOutcome::Asked(sequence) => Ok(sequence),
        AskOutcome::NotEnded(status) => Err(ApiError::Conflict(format!(
            "session {session_id} is {status}: questions can be asked once it has ended"
        ))),
        AskOutcome::Unanswered => Err(ApiError::Conflict(format!(
            "an earlier question about session {session_id} waits for its answer: ask again once it has it"
        ))),
    }
}
