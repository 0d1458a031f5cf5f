//! Alerts that this process submits itself, without HTTP.

use tarsy_domain::SessionId;

use super::submission::{SubmissionResult, submit};
use super::{Author, IncomingAlert};
use crate::{ApiError, App};

/// An alert that this process submits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalAlert {
    /// Selects the chain.
    pub alert_type: String,
    /// The content of the alert.
    pub data: String,
    /// The author to display.
    pub author: String,
}

impl App {
    /// Submits an alert. The session is committed when this returns.
    pub async fn submit(&self, alert: LocalAlert) -> Result<SessionId, ApiError> {
        let LocalAlert { alert_type, data, author } = alert;
        let alert = IncomingAlert {
            alert_id: None,
            alert_type: Some(alert_type),
            data,
            runbook: None,
            author: Some(Author::Authenticated(author)),
            mcp: None,
            slack_message_fingerprint: None,
        };
        match submit(self, alert).await? {
            SubmissionResult::Created(response) | SubmissionResult::Existing(response) => {
                Ok(response.session_id)
            }
        }
    }
}
