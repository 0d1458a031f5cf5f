//! Error responses.
//!
//! Every error has the same shape: a code for programs and a sentence for people. The causes of internal
//! errors are logged here, once, and not sent to the client.

use axum::Json;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tarsy_domain::AccessRole;
use tarsy_store::StoreError;
use thiserror::Error;
use tracing::error;
use utoipa::ToSchema;

/// A request that failed.
#[derive(Debug, Error)]
pub enum ApiError {
    /// A parameter or a field is invalid.
    #[error("{field}: {problem}")]
    BadParameter {
        /// Its name, or its path in the body.
        field: String,
        /// What is wrong and what is expected.
        problem: String,
    },

    /// No route matches the path.
    #[error("no route matches {path}")]
    NoRoute {
        /// The path.
        path: String,
    },

    /// The resource does not exist.
    #[error("{what} {id} does not exist")]
    NotFound {
        /// The kind of resource, e.g. `session`.
        what: &'static str,
        /// Its id.
        id: String,
    },

    /// The current state of the resource does not permit the operation.
    #[error("{0}")]
    Conflict(String),

    /// The body exceeds its size limit.
    #[error("{what} is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The part of the body that is too large.
        what: &'static str,
        /// The limit in bytes.
        limit: usize,
    },

    /// A rate limit or the capacity of the queue is exceeded.
    #[error("{problem}; retry in {retry_after_s} s")]
    TooMany {
        /// Which limit is exceeded.
        problem: String,
        /// When to retry.
        retry_after_s: u64,
    },

    /// The request carries no valid credentials.
    #[error("{0}")]
    Unauthenticated(String),

    /// The caller's role does not permit the operation.
    #[error("requires the role `{}`", needed.as_str())]
    Forbidden {
        /// The minimum role that permits it.
        needed: AccessRole,
    },

    /// The caller is authenticated and has no role.
    #[error(
        "user {name} is in no group that has a role; add one of their groups to `system.access.proxy.roles`, or set \
         `default_role`"
    )]
    NoRole {
        /// The user.
        name: String,
    },

    /// The `Host` header of a request to a server without authentication is neither local nor configured.
    #[error(
        "host `{0}` is not allowed while authentication is disabled; use `localhost`, set `system.dashboard_url` to this \
         address, or enable authentication with `system.access`"
    )]
    HostNotAllowed(String),

    /// A page of another origin sent a request that changes data.
    #[error(
        "cross-origin requests may not change data; add the origin of the page to `system.allowed_ws_origins` to allow it"
    )]
    CrossOriginRequest,

    /// A page of another origin tried to open a WebSocket.
    #[error("this origin may not open a WebSocket; add it to `system.allowed_ws_origins` to allow it")]
    OriginNotAllowed,

    /// A request to a WebSocket route is not an upgrade.
    #[error("this route accepts WebSocket connections only: {0}")]
    NotAWebSocket(String),

    /// The server is shutting down, or a service it depends on is unavailable.
    #[error("{problem}; retry in {retry_after_s} s")]
    Unavailable {
        /// The reason.
        problem: String,
        /// When to retry.
        retry_after_s: u64,
    },

    /// The database operation failed.
    #[error("the database operation failed; see the server log for the cause")]
    Store(#[source] StoreError),
}

/// A row that does not exist is a 404, not an internal error.
impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if let StoreError::NotFound { what, id } = error {
            return Self::NotFound { what, id };
        }
        Self::Store(error)
    }
}

/// The body of an error response.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorResponse {
    error: ErrorBody,
    /// Alias of `error.message`, for clients of the Go version of TARSy.
    message: String,
}

/// The error.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// The kind of error, for programs.
    code: &'static str,
    /// What is wrong and what is expected, for people.
    message: String,
}

impl ApiError {
    /// Returns the error for an invalid parameter or field.
    pub(crate) fn bad(field: &str, problem: impl Into<String>) -> Self {
        Self::BadParameter { field: field.to_owned(), problem: problem.into() }
    }

    /// Returns the error for a body that could not be read.
    pub(crate) fn from_body(rejection: &BytesRejection) -> Self {
        Self::bad("body", rejection.body_text())
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::BadParameter { .. } => StatusCode::BAD_REQUEST,
            Self::NoRoute { .. } | Self::NotFound { .. } => StatusCode::NOT_FOUND,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden { .. }
            | Self::NoRole { .. }
            | Self::HostNotAllowed(_)
            | Self::CrossOriginRequest
            | Self::OriginNotAllowed => StatusCode::FORBIDDEN,
            Self::NotAWebSocket(_) => StatusCode::UPGRADE_REQUIRED,
            Self::Unavailable { .. } | Self::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::BadParameter { .. } => "bad_parameter",
            Self::NoRoute { .. } | Self::NotFound { .. } => "not_found",
            Self::Conflict(_) => "conflict",
            Self::TooLarge { .. } => "too_large",
            Self::TooMany { .. } => "too_many",
            Self::Unauthenticated(_) => "unauthenticated",
            Self::Forbidden { .. }
            | Self::NoRole { .. }
            | Self::HostNotAllowed(_)
            | Self::CrossOriginRequest
            | Self::OriginNotAllowed => "forbidden",
            Self::NotAWebSocket(_) => "no_socket",
            Self::Unavailable { .. } => "unavailable",
            Self::Store(_) => "store_unavailable",
        }
    }

    fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::TooMany { retry_after_s, .. } | Self::Unavailable { retry_after_s, .. } => {
                Some(*retry_after_s)
            }
            Self::BadParameter { .. }
            | Self::NoRoute { .. }
            | Self::NotFound { .. }
            | Self::Conflict(_)
            | Self::TooLarge { .. }
            | Self::Unauthenticated(_)
            | Self::Forbidden { .. }
            | Self::NoRole { .. }
            | Self::HostNotAllowed(_)
            | Self::CrossOriginRequest
            | Self::OriginNotAllowed
            | Self::NotAWebSocket(_)
            | Self::Store(_) => None,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let Self::Store(cause) = &self {
            error!(error = %cause, "database operation failed");
        }
        let message = self.to_string();
        let body =
            ErrorResponse { error: ErrorBody { code: self.code(), message: message.clone() }, message };
        let mut response = (self.status(), Json(body)).into_response();
        if let Some(seconds) = self.retry_after_s() {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if matches!(self, Self::Unauthenticated(_)) {
            let challenge = HeaderValue::from_static("Bearer realm=\"tarsy\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
