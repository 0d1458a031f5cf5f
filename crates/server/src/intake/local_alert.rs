//! An alert that comes from this process itself: nobody sent it, and it is taken in like any other.

use tarsy_domain::SessionId;

use super::submission::{Submitted, submit};
use super::{Alert, Author};
use crate::{ApiError, App};

/// An alert of this process itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalAlert {
    /// Selects the chain.
    pub alert_type: String,
    /// What it says.
    pub data: String,
    /// Who is shown to have sent it.
    pub author: String,
}

impl App {
    /// Takes in an alert that nobody has to send. What this answers is committed.
    pub async fn submit(&self, alert: LocalAlert) -> Result<SessionId, ApiError> {
        let LocalAlert { alert_type, data, author } = alert;
        let alert = Alert {
            alert_id: None,
            alert_type: Some(alert_type),
            data,
            runbook: None,
            author: Some(Author::Known(author)),
            mcp: None,
        };
        match submit(self, alert).await? {
            Submitted::Created(response) | Submitted::Existing(response) => Ok(response.session_id),
        }
    }
}
