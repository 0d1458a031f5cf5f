//! Errors of connecting to servers and of calls. Their texts are shown to models and in the health of a
//! server.

use std::error::Error;
use std::time::Duration;

use rmcp::model::ErrorCode;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use thiserror::Error;

use crate::http::{HttpError, TransportError};
use crate::stdio::ProgramError;

/// Why a server is unavailable.
#[derive(Debug, Error)]
pub(crate) enum ServerConnectError {
    /// The program does not start.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The server is unreachable or rejects the request.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The start exceeded its timeout.
    #[error("the server was not ready within {} s (`start_timeout`)", .0.as_secs_f64())]
    TooSlow(Duration),
    /// The server violates the protocol.
    #[error("{0}")]
    Protocol(String),
}

/// Why a call has no result.
#[derive(Debug, Error)]
pub(crate) enum CallError {
    /// The connection broke; whether the tool ran is unknown.
    #[error("the connection to the server broke during the call: {0}")]
    Broken(String),
    /// The deadline passed.
    #[error("the tool did not respond within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The server rejected the arguments.
    #[error("{0}")]
    InvalidArguments(String),
    /// The server responded with an error, or with something that is not a result.
    #[error("{0}")]
    Refused(String),
    /// The caller cancelled the call.
    #[error("cancelled")]
    Cancelled,
}

impl From<ClientInitializeError> for ServerConnectError {
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
            "the connection was closed during the handshake".to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("the server rejected the handshake: {}", error.message)
        }
        other => with_sources(other),
    }
}

impl From<ServiceError> for CallError {
    #[expect(clippy::wildcard_enum_match_arm, reason = "rmcp may add kinds of errors at any time")]
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => {
                let text = format!("the server returned error {}: {}", error.code.0, error.message);
                match error.code {
                    ErrorCode::INVALID_PARAMS => Self::InvalidArguments(text),
                    _ => Self::Refused(text),
                }
            }
            ServiceError::TransportClosed => Self::Broken("it was closed".to_owned()),
            ServiceError::TransportSend(error) if refused(&error) => Self::Refused(transport_error(&error)),
            ServiceError::TransportSend(error) => Self::Broken(transport_error(&error)),
            ServiceError::Cancelled { .. } => Self::Refused("the server cancelled the call".to_owned()),
            other => Self::Refused(with_sources(&other)),
        }
    }
}

/// Returns whether the server itself rejected the request: then it is reachable, and reconnecting does not
/// help.
///
/// Over server-sent events, "not found" means that the server has lost the session, which is its stream.
fn refused(error: &DynamicTransportError) -> bool {
    let streamable = error.error.downcast_ref::<TransportError>();
    let events = error.error.downcast_ref::<HttpError>();
    match (streamable, events) {
        (Some(TransportError::Client(error)), _) => error.is_refusal(),
        (None, Some(error)) => error.is_refusal() && !error.is_not_found(),
        (Some(_), _) | (None, None) => false,
    }
}

/// Returns the text of a transport's error, without the wrapping of rmcp around our own errors.
fn transport_error(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref::<TransportError>() {
        Some(TransportError::Client(error)) => error.to_string(),
        Some(TransportError::SessionExpired) => {
            "the server no longer knows the session (HTTP 404) and did not open a new one".to_owned()
        }
        Some(other) => with_sources(other),
        None => with_sources(error.error.as_ref()),
    }
}

/// Joins an error with its sources, skipping texts that are already contained.
pub(crate) fn with_sources(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let source = next.to_string();
        if !text.contains(&source) {
            text = format!("{text}: {source}");
        }
        cause = next.source();
    }
    text
}
