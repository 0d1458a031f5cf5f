//! Turns a parsed alert into a session. Submissions with the same alert id are idempotent.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tarsy_config::Config;
use tarsy_domain::{SessionId, SessionStatus, Timestamp};
use tarsy_store::{
    NewSession, QueueLimit, ResolveOutcome, SessionInput, Store, StoreError, SubmitOutcome, encode_json,
};
use tracing::info;
use utoipa::ToSchema;

use super::selection::apply_selection;
use super::{AlertMask, Author, IncomingAlert, MaskedAlert, Notification};
use crate::{ApiError, App};

/// Retry delay while the queue is full.
pub(crate) const RETRY_WHEN_FULL_S: u64 = 10;
/// Retry delay while the server shuts down; a replacement should be running by then.
const RETRY_WHEN_STOPPING_S: u64 = 5;

/// The result of a submission.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SubmitAlertResponse {
    /// The session that investigates the alert.
    pub(crate) session_id: SessionId,
    /// The id of the alert: that of the request, or a generated one.
    pub(crate) alert_id: String,
    /// `queued`, or the status of the existing session if the alert was submitted before.
    pub(crate) status: String,
    /// The result as a sentence for people.
    pub(crate) message: String,
}

/// Whether a submission created a session.
#[derive(Debug)]
pub(crate) enum SubmissionResult {
    /// A new session is queued.
    Created(SubmitAlertResponse),
    /// The alert was submitted before.
    Existing(SubmitAlertResponse),
}

impl IntoResponse for SubmissionResult {
    fn into_response(self) -> Response {
        match self {
            Self::Created(response) => (StatusCode::ACCEPTED, Json(response)).into_response(),
            Self::Existing(response) => (StatusCode::OK, Json(response)).into_response(),
        }
    }
}

/// Submits an alert. The session is committed when this returns.
pub(crate) async fn submit(app: &App, alert: IncomingAlert) -> Result<SubmissionResult, ApiError> {
    reject_while_stopping(app)?;
    let session = new_session(&app.config, &app.alert_mask, alert)?;
    let alert_id = session.alert_id.clone();
    let outcome = insert(&app.store, session, queue_limit(&app.config)).await?;
    result(&app.store, alert_id, outcome).await
}

/// Submits a firing alert group. The session is committed when this returns.
pub(crate) async fn receive_firing(
    app: &App,
    notification: Notification,
    at: Timestamp,
) -> Result<SubmitOutcome, ApiError> {
    let notice = notification.notice();
    let session = new_session(&app.config, &app.alert_mask, notification.into_alert(&app.config))?;
    Ok(app.store.firing_submit(notice, session, queue_limit(&app.config), at).await?)
}

/// Records that an alert group is resolved.
pub(crate) async fn receive_resolution(
    app: &App,
    notification: &Notification,
    at: Timestamp,
) -> Result<ResolveOutcome, ApiError> {
    Ok(app.store.firing_resolve(notification.notice(), notification.resolution_note(at), at).await?)
}

/// Fails with 503 if the server is shutting down.
pub(crate) fn reject_while_stopping(app: &App) -> Result<(), ApiError> {
    if !app.stopping.is_cancelled() {
        return Ok(());
    }
    let problem = "the server is shutting down".to_owned();
    Err(ApiError::Unavailable { problem, retry_after_s: RETRY_WHEN_STOPPING_S })
}

fn queue_limit(config: &Config) -> QueueLimit {
    QueueLimit::Sessions(config.queue().max_queue_size)
}

/// Builds the session of an alert. Unknown names in the alert are errors of its sender.
fn new_session(config: &Config, mask: &AlertMask, alert: IncomingAlert) -> Result<NewSession, ApiError> {
    let alert_type = alert.alert_type.unwrap_or_else(|| config.defaults().alert_type.clone());
    let mut chain = config
        .chain_for_alert_type(&alert_type)
        .map_err(|unknown| ApiError::bad("alert_type", unknown.to_string()))?;
    if let Some(mcp) = &alert.mcp {
        apply_selection(mcp, config, &mut chain)?;
    }
    let session_id = SessionId::new();
    let has_runbook = alert.runbook.is_some();
    let (claimed, authenticated) = match alert.author {
        Some(Author::Claimed(claimed)) => (claimed, None),
        Some(Author::Authenticated(authenticated)) => (String::new(), Some(authenticated)),
        None => (String::new(), None),
    };
    // The alert id is not masked: it identifies the alert.
    let fingerprint = alert.slack_message_fingerprint.unwrap_or_default();
    let texts = [alert.data, alert.runbook.unwrap_or_default(), claimed, fingerprint];
    let MaskedAlert { texts: [alert_data, runbook, claimed, fingerprint], masked_values } =
        mask.mask(session_id, texts);
    Ok(NewSession {
        session_id,
        alert_id: alert.alert_id.unwrap_or_else(|| session_id.to_string()),
        alert_type,
        chain_id: chain.id.clone(),
        stages: chain.stages.iter().map(|stage| stage.name.clone()).collect(),
        author: authenticated.or(Some(claimed).filter(|claimed| !claimed.is_empty())),
        input: SessionInput {
            alert_data,
            runbook: has_runbook.then_some(runbook),
            mcp_selection: alert.mcp.map(|mcp| encode_json("mcp_selection", &mcp)).transpose()?,
            slack_message_fingerprint: Some(fingerprint).filter(|text| !text.is_empty()),
            chain_snapshot: encode_json("chain_snapshot", &chain)?,
            masked_values: masked_values.map(|record| encode_json("masked_values", &record)).transpose()?,
        },
    })
}

/// Inserts a session. If the result of the commit is unknown, the insert is retried: it is idempotent and
/// returns the session of the first attempt.
async fn insert(store: &Store, session: NewSession, limit: QueueLimit) -> Result<SubmitOutcome, StoreError> {
    let session_id = session.session_id;
    let retry = session.clone();
    match store.session_insert(session, limit, Timestamp::now()).await {
        Err(StoreError::Uncertain(_)) => {
            let outcome = store.session_insert(retry, limit, Timestamp::now()).await?;
            let is_ours = outcome == SubmitOutcome::Existing(session_id);
            Ok(if is_ours { SubmitOutcome::Created(session_id) } else { outcome })
        }
        outcome => outcome,
    }
}

/// Converts the outcome of a submission into its result.
async fn result(
    store: &Store,
    alert_id: String,
    outcome: SubmitOutcome,
) -> Result<SubmissionResult, ApiError> {
    match outcome {
        SubmitOutcome::Created(session_id) => {
            info!(session.id = %session_id, "alert accepted");
            let message = "The alert is queued for investigation.".to_owned();
            let status = "queued".to_owned();
            Ok(SubmissionResult::Created(SubmitAlertResponse { session_id, alert_id, status, message }))
        }
        SubmitOutcome::Existing(session_id) => {
            let session = store.session_fetch(session_id).await?;
            let session =
                session.ok_or(ApiError::NotFound { what: "session", id: session_id.to_string() })?;
            let status = sender_status(session.status).to_owned();
            let message = format!("The alert was submitted before; its session is {status}.");
            let alert_id = session.alert_id;
            Ok(SubmissionResult::Existing(SubmitAlertResponse { session_id, alert_id, status, message }))
        }
        SubmitOutcome::QueueFull => Err(ApiError::TooMany {
            problem: "the queue is full".to_owned(),
            retry_after_s: RETRY_WHEN_FULL_S,
        }),
    }
}

/// Returns the status as senders know it: `queued` for a pending session.
fn sender_status(status: SessionStatus) -> &'static str {
    if status == SessionStatus::Pending { "queued" } else { status.as_str() }
}
