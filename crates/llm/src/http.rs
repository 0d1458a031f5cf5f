//! Models over HTTP: one POST, one stream of server-sent events.
//!
//! The wires encode requests and decode events; connections, timeouts and limits are handled here for all of
//! them.

mod auth;
mod exchange;
mod google;
mod google_credentials;
mod model;
mod sse;

pub(crate) use auth::Auth;
pub(crate) use exchange::{HttpFailure, HttpRequest};
pub(crate) use google::GoogleAccess;
pub use google_credentials::CredentialsError;
pub(crate) use google_credentials::GoogleCredentials;
pub(crate) use model::HttpModel;
pub(crate) use sse::SseEvent;
