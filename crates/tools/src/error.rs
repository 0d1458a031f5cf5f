//! What goes wrong between us and a server.

use std::error::Error;
use std::time::Duration;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use thiserror::Error;

use crate::http::{HttpError, TransportError};
use crate::stdio::ProgramError;

/// A server that cannot be used.
#[derive(Debug, Error)]
pub(crate) enum ConnectError {
    /// Its program does not start.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// It is not reached, or refuses us.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// It took too long.
    #[error("it was not ready within {} s", .0.as_secs_f64())]
    TooSlow(Duration),
    /// It does not speak as it should.
    #[error("{0}")]
    Protocol(String),
}

/// A call that came to nothing.
#[derive(Debug, Error)]
pub(crate) enum CallError {
    /// The connection is gone; whether the tool ran is unknown.
    #[error("the connection to the server broke during the call: {0}")]
    Broken(String),
    /// No answer came in time.
    #[error("no answer came within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The server answered with an error, or with something that is no result.
    #[error("{0}")]
    Refused(String),
    /// Whoever asked does not want it any more.
    #[error("cancelled")]
    Cancelled,
}

impl From<ClientInitializeError> for ConnectError {
    fn from(error: ClientInitializeError) -> Self {
        let ClientInitializeError::TransportError { error, .. } = &error else {
            return Self::Protocol(initialize_error(&error));
        };
        Self::Protocol(transport_error(error))
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "rmcp may add kinds of errors at any time")]
fn initialize_error(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => {
            "the connection was closed before it was ready".to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refused to start a session: {}", error.message)
        }
        other => causes_of(other),
    }
}

impl From<ServiceError> for CallError {
    #[expect(clippy::wildcard_enum_match_arm, reason = "rmcp may add kinds of errors at any time")]
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => {
                Self::Refused(format!("the server answered with error {}: {}", error.code.0, error.message))
            }
            ServiceError::TransportClosed => Self::Broken("it was closed".to_owned()),
            ServiceError::TransportSend(error) if refused(&error) => Self::Refused(transport_error(&error)),
            ServiceError::TransportSend(error) => Self::Broken(transport_error(&error)),
            ServiceError::Cancelled { .. } => Self::Refused("the server cancelled the call".to_owned()),
            other => Self::Refused(causes_of(&other)),
        }
    }
}

/// Whether the server itself said no: then it is there, and saying it again helps nobody.
///
/// Over server-sent events, "not found" is what a server says that has forgotten the session, which is its stream.
fn refused(error: &DynamicTransportError) -> bool {
    let streamable = error.error.downcast_ref::<TransportError>();
    let events = error.error.downcast_ref::<HttpError>();
    match (streamable, events) {
        (Some(TransportError::Client(error)), _) => error.is_refusal(),
        (None, Some(error)) => error.is_refusal() && !error.is_not_found(),
        (Some(_), _) | (None, None) => false,
    }
}

/// A transport's error in words of our own, where it is one of ours.
fn transport_error(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref::<TransportError>() {
        Some(TransportError::Client(error)) => error.to_string(),
        Some(TransportError::SessionExpired) => {
            "the server has forgotten the session (HTTP 404) and gives no new one".to_owned()
        }
        Some(other) => causes_of(other),
        None => causes_of(error.error.as_ref()),
    }
}

/// An error with everything that lies behind it, each thing said once.
pub(crate) fn causes_of(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let said = next.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = next.source();
    }
    text
}
