//! A model behind HTTP: one POST, one stream of server-sent events.
//!
//! The wire formats say what to send and what the events mean; sending, waiting and giving up are here, once.

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
pub(crate) use sse::Event;
