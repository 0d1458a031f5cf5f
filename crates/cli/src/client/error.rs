//! Why a server did not do what it was asked for.

use reqwest::Response;
use serde::Deserialize;
use thiserror::Error;

use crate::terminal::line_of;

/// How much of an answer that says nothing understandable is shown.
const SHOWN_CHARACTERS: usize = 200;

/// Why a server did not do what it was asked for.
#[derive(Debug, Error)]
pub(crate) enum ClientError {
    /// Nobody answers.
    #[error(
        "no server answers at {server}; start one with `tarsy serve`, or say with --server where there is one"
    )]
    Unreachable { server: String, source: reqwest::Error },

    /// It wants to know who is asking.
    #[error(
        "{message}; put a token of this server into the variable TARSY_TOKEN (`tarsy token create` makes one)"
    )]
    Unknown { message: String },

    /// It says no.
    #[error("{message}")]
    Refused { message: String },

    /// It cannot do it now.
    #[error("the server could not do it: {message}")]
    Failed { message: String },

    /// The connection broke.
    #[error("the connection to the server broke")]
    Broken(#[source] reqwest::Error),

    /// It sent something else than a stream of events.
    #[error("the stream of the session is not understood")]
    NoStream(#[source] sse_stream::Error),

    /// It ended a stream of events again and again.
    #[error("the server ends the stream of the session again and again")]
    Ended,

    /// It speaks another language.
    #[error("the answer to {path} is not understood; is this a TARSy server, and not a newer one?")]
    Misunderstood { path: String, source: serde_json::Error },

    /// The path cannot be asked for.
    #[error("{path} is no path")]
    NoPath { path: String, source: http::Error },
}

/// How a server says no.
#[derive(Deserialize)]
struct Refusal {
    error: Reason,
}

#[derive(Deserialize)]
struct Reason {
    message: String,
}

impl ClientError {
    /// Why an answer is a refusal.
    pub(super) async fn refused(response: Response) -> Self {
        let status = response.status();
        let text = response.text().await.unwrap_or_default();
        let message = match serde_json::from_str::<Refusal>(&text) {
            Ok(refusal) => refusal.error.message,
            Err(_) => format!("it answered {status}: {}", line_of(&text, SHOWN_CHARACTERS)),
        };
        match status {
            http::StatusCode::UNAUTHORIZED => Self::Unknown { message },
            status if status.is_client_error() => Self::Refused { message },
            _ => Self::Failed { message },
        }
    }

    /// Whether asking again later may help.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Failed { .. }
            | Self::Broken(_)
            | Self::NoStream(_)
            | Self::Ended => true,
            Self::Unknown { .. }
            | Self::Refused { .. }
            | Self::Misunderstood { .. }
            | Self::NoPath { .. } => false,
        }
    }
}
