//! A submission: an alert that was read becomes a session in the store, once.

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
use super::{Alert, AlertMask, Author, MaskedAlert, Notification};
use crate::{ApiError, App};

/// When to come again while too many sessions wait.
pub(crate) const RETRY_WHEN_FULL_S: u64 = 10;
/// When to come again while the server stops: another one is there by then.
const RETRY_WHEN_STOPPING_S: u64 = 5;

/// What became of an alert.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SubmitAlertResponse {
    /// Its investigation.
    pub(crate) session_id: SessionId,
    /// The sender's id for it, or one that was made for it.
    pub(crate) alert_id: String,
    /// `queued`, or where the investigation of an alert that was here before stands.
    pub(crate) status: String,
    /// The same for people.
    pub(crate) message: String,
}

/// Whether an alert is new.
#[derive(Debug)]
pub(crate) enum Submitted {
    /// It will be investigated.
    Created(SubmitAlertResponse),
    /// It was here before.
    Existing(SubmitAlertResponse),
}

impl IntoResponse for Submitted {
    fn into_response(self) -> Response {
        match self {
            Self::Created(response) => (StatusCode::ACCEPTED, Json(response)).into_response(),
            Self::Existing(response) => (StatusCode::OK, Json(response)).into_response(),
        }
    }
}

/// Takes an alert in. What this answers is committed.
pub(crate) async fn submit(app: &App, alert: Alert) -> Result<Submitted, ApiError> {
    refuse_while_stopping(app)?;
    let session = new_session(&app.config, &app.alert_mask, alert)?;
    let alert_id = session.alert_id.clone();
    let outcome = insert(&app.store, session, queue_limit(&app.config)).await?;
    answer(&app.store, alert_id, outcome).await
}

/// Takes in that a group of alerts fires. What this answers is committed.
pub(crate) async fn hear_of_firing(
    app: &App,
    notification: Notification,
    at: Timestamp,
) -> Result<SubmitOutcome, ApiError> {
    let notice = notification.notice();
    let session = new_session(&app.config, &app.alert_mask, notification.into_alert(&app.config))?;
    Ok(app.store.firing_submit(notice, session, queue_limit(&app.config), at).await?)
}

/// Notes that a group of alerts has ended.
pub(crate) async fn hear_of_the_end(
    app: &App,
    notification: &Notification,
    at: Timestamp,
) -> Result<ResolveOutcome, ApiError> {
    Ok(app.store.firing_resolve(notification.notice(), notification.note_of_the_end(at), at).await?)
}

/// Nothing new is taken in by a server that is about to stop.
pub(crate) fn refuse_while_stopping(app: &App) -> Result<(), ApiError> {
    if !app.stopping.is_cancelled() {
        return Ok(());
    }
    let problem = "the server is stopping".to_owned();
    Err(ApiError::Unavailable { problem, retry_after_s: RETRY_WHEN_STOPPING_S })
}

fn queue_limit(config: &Config) -> QueueLimit {
    QueueLimit::Sessions(config.queue().max_queue_size)
}

/// Decides everything about the session of an alert. Names that lead nowhere are faults of the alert.
fn new_session(config: &Config, mask: &AlertMask, alert: Alert) -> Result<NewSession, ApiError> {
    let alert_type = alert.alert_type.unwrap_or_else(|| config.defaults().alert_type.clone());
    let mut chain = config
        .chain_for_alert_type(&alert_type)
        .map_err(|unknown| ApiError::bad("alert_type", unknown.to_string()))?;
    if let Some(mcp) = &alert.mcp {
        apply_selection(mcp, config, &mut chain)?;
    }
    let session_id = SessionId::new();
    let has_runbook = alert.runbook.is_some();
    let (said, known) = match alert.author {
        Some(Author::Said(said)) => (said, None),
        Some(Author::Known(known)) => (String::new(), Some(known)),
        None => (String::new(), None),
    };
    // An alert's id is not masked: it says which alert it is, and one that is masked says nothing.
    let texts = [alert.data, alert.runbook.unwrap_or_default(), said];
    let MaskedAlert { texts: [alert_data, runbook, said], masked_values } = mask.mask(session_id, texts);
    Ok(NewSession {
        session_id,
        alert_id: alert.alert_id.unwrap_or_else(|| session_id.to_string()),
        alert_type,
        chain_id: chain.id.clone(),
        stages: chain.stages.iter().map(|stage| stage.name.clone()).collect(),
        author: known.or(Some(said).filter(|said| !said.is_empty())),
        input: SessionInput {
            alert_data,
            runbook: has_runbook.then_some(runbook),
            mcp_selection: alert.mcp.map(|mcp| encode_json("mcp_selection", &mcp)).transpose()?,
            chain_snapshot: encode_json("chain_snapshot", &chain)?,
            masked_values: masked_values.map(|record| encode_json("masked_values", &record)).transpose()?,
        },
    })
}

/// Inserts a session. A commit that the database did not answer is asked about by inserting again: the second time
/// finds the first.
async fn insert(store: &Store, session: NewSession, limit: QueueLimit) -> Result<SubmitOutcome, StoreError> {
    let session_id = session.session_id;
    let again = session.clone();
    match store.session_insert(session, limit, Timestamp::now()).await {
        Err(StoreError::Uncertain(_)) => {
            let outcome = store.session_insert(again, limit, Timestamp::now()).await?;
            let is_ours = outcome == SubmitOutcome::Existing(session_id);
            Ok(if is_ours { SubmitOutcome::Created(session_id) } else { outcome })
        }
        outcome => outcome,
    }
}

/// What the sender is told.
async fn answer(store: &Store, alert_id: String, outcome: SubmitOutcome) -> Result<Submitted, ApiError> {
    match outcome {
        SubmitOutcome::Created(session_id) => {
            info!(session.id = %session_id, "an alert came in");
            let message = "The alert is queued for investigation.".to_owned();
            let status = "queued".to_owned();
            Ok(Submitted::Created(SubmitAlertResponse { session_id, alert_id, status, message }))
        }
        SubmitOutcome::Existing(session_id) => {
            let session = store.session_fetch(session_id).await?;
            let session = session.ok_or(ApiError::Unknown { what: "session", id: session_id.to_string() })?;
            let status = known_as(session.status).to_owned();
            let message = format!("This alert was here before; its investigation is {status}.");
            let alert_id = session.alert_id;
            Ok(Submitted::Existing(SubmitAlertResponse { session_id, alert_id, status, message }))
        }
        SubmitOutcome::QueueFull => Err(ApiError::TooMany {
            problem: "too many alerts wait for their investigation".to_owned(),
            retry_after_s: RETRY_WHEN_FULL_S,
        }),
    }
}

/// A sender's word for a session that waits is that of the answer to its alert.
fn known_as(status: SessionStatus) -> &'static str {
    if status == SessionStatus::Pending { "queued" } else { status.as_str() }
}
