//! What a client is told when its request was not carried out.
//!
//! Every error has the same shape: a code for programs and a sentence for people. What went wrong inside is
//! logged here, once, and not shown.

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

/// A request that was not carried out.
#[derive(Debug, Error)]
pub enum ApiError {
    /// A parameter or a field is wrong.
    #[error("{field}: {problem}")]
    BadParameter {
        /// Its name, or its path in the body.
        field: String,
        /// What is wrong and what would be right.
        problem: String,
    },

    /// There is nothing at this address.
    #[error("there is nothing at {path}")]
    NotFound {
        /// The address.
        path: String,
    },

    /// What the address names is not there.
    #[error("there is no {what} {id}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// Its id.
        id: String,
    },

    /// It cannot be done as things are now.
    #[error("{0}")]
    Conflict(String),

    /// The body is larger than is taken.
    #[error("{what} is larger than the limit of {limit} bytes")]
    TooLarge {
        /// What of it.
        what: &'static str,
        /// How much is taken.
        limit: usize,
    },

    /// More came than can be worked on.
    #[error("{problem}; try again in {retry_after_s} s")]
    TooMany {
        /// Of what there is too much.
        problem: String,
        /// When to come again.
        retry_after_s: u64,
    },

    /// Nobody said who is asking, or nobody believes it.
    #[error("{0}")]
    Unauthenticated(String),

    /// Who is asking may not do this.
    #[error("this takes the role `{}`", needed.as_str())]
    Forbidden {
        /// The least role that may.
        needed: AccessRole,
    },

    /// Whoever is asking is known, and may do nothing.
    #[error(
        "{name} is in no group that has a role here; list one of their groups in `system.access.proxy.roles`, or set \
         `default_role`"
    )]
    NoRole {
        /// Who is asking.
        name: String,
    },

    /// A server that asks nobody who they are was called by a name that is not its own.
    #[error(
        "by this name nobody is answered, because nobody is asked who they are; call `localhost`, name this address in \
         `system.dashboard_url`, or have callers asked with `system.access`"
    )]
    ForeignName,

    /// A page of another origin wants to change something.
    #[error(
        "a page of another origin may change nothing here; name its origin in `system.allowed_ws_origins` if it should"
    )]
    ForeignPage,

    /// A page of another origin wants a socket.
    #[error(
        "a page of this origin may not open a socket here; name it in `system.allowed_ws_origins` if it should"
    )]
    ForeignOrigin,

    /// A socket's address was asked for something else.
    #[error("this address is for WebSockets: {0}")]
    NoSocket(String),

    /// The server is about to stop, or not able to.
    #[error("{problem}; try again in {retry_after_s} s")]
    Unavailable {
        /// Why.
        problem: String,
        /// When to come again.
        retry_after_s: u64,
    },

    /// The record could not be read or written.
    #[error("the database did not answer as it should; the server's log says why")]
    Store(#[source] StoreError),
}

/// What the store did not find is nothing that broke.
impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        if let StoreError::NotFound { what, id } = error {
            return Self::Unknown { what, id };
        }
        Self::Store(error)
    }
}

/// An error as it is sent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorResponse {
    error: ErrorBody,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// What kind of error it is, for programs.
    code: &'static str,
    /// What was wrong, where, and what would be right, for people.
    message: String,
}

impl ApiError {
    /// A parameter or a field is wrong.
    pub(crate) fn bad(field: &str, problem: impl Into<String>) -> Self {
        Self::BadParameter { field: field.to_owned(), problem: problem.into() }
    }

    /// The body could not be read.
    pub(crate) fn from_body(wrong: &BytesRejection) -> Self {
        Self::bad("body", wrong.body_text())
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::BadParameter { .. } => StatusCode::BAD_REQUEST,
            Self::NotFound { .. } | Self::Unknown { .. } => StatusCode::NOT_FOUND,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden { .. }
            | Self::NoRole { .. }
            | Self::ForeignName
            | Self::ForeignPage
            | Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::NoSocket(_) => StatusCode::UPGRADE_REQUIRED,
            Self::Unavailable { .. } | Self::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::BadParameter { .. } => "bad_parameter",
            Self::NotFound { .. } | Self::Unknown { .. } => "not_found",
            Self::Conflict(_) => "conflict",
            Self::TooLarge { .. } => "too_large",
            Self::TooMany { .. } => "too_many",
            Self::Unauthenticated(_) => "unauthenticated",
            Self::Forbidden { .. }
            | Self::NoRole { .. }
            | Self::ForeignName
            | Self::ForeignPage
            | Self::ForeignOrigin => "forbidden",
            Self::NoSocket(_) => "no_socket",
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
            | Self::NotFound { .. }
            | Self::Unknown { .. }
            | Self::Conflict(_)
            | Self::TooLarge { .. }
            | Self::Unauthenticated(_)
            | Self::Forbidden { .. }
            | Self::NoRole { .. }
            | Self::ForeignName
            | Self::ForeignPage
            | Self::ForeignOrigin
            | Self::NoSocket(_)
            | Self::Store(_) => None,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let Self::Store(cause) = &self {
            error!(error = %cause, "a request failed in the store");
        }
        let body = ErrorResponse { error: ErrorBody { code: self.code(), message: self.to_string() } };
        let mut response = (self.status(), Json(body)).into_response();
        if let Some(seconds) = self.retry_after_s() {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if matches!(self, Self::Unauthenticated(_)) {
            let ask = HeaderValue::from_static("Bearer realm=\"tarsy\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, ask);
        }
        response
    }
}
