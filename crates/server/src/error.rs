//! What a client is told when its request was not carried out.
//!
//! Every error has the same shape: a code for programs and a sentence for people. What went wrong inside is
//! logged here, once, and not shown.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tarsy_store::StoreError;
use thiserror::Error;
use tracing::error;

/// A request that was not carried out.
#[derive(Debug, Error)]
pub enum ApiError {
    /// A parameter is wrong.
    #[error("{field}: {problem}")]
    BadParameter {
        /// Its name.
        field: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },

    /// There is nothing at this address.
    #[error("there is nothing at {path}")]
    NotFound {
        /// The address.
        path: String,
    },

    /// The record could not be read or written.
    #[error("the database did not answer as it should; the server's log says why")]
    Store(#[from] StoreError),
}

impl ApiError {
    fn status(&self) -> StatusCode {
        match self {
            Self::BadParameter { .. } => StatusCode::BAD_REQUEST,
            Self::NotFound { .. } => StatusCode::NOT_FOUND,
            Self::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::BadParameter { .. } => "bad_parameter",
            Self::NotFound { .. } => "not_found",
            Self::Store(_) => "store_unavailable",
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let Self::Store(cause) = &self {
            error!(error = %cause, "a request failed in the store");
        }
        let body = json!({ "error": { "code": self.code(), "message": self.to_string() } });
        (self.status(), Json(body)).into_response()
    }
}
