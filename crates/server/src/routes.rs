//! The route handlers, one file per resource.

pub(crate) mod alert_types;
pub(crate) mod alerts;
pub(crate) mod chat;
pub(crate) mod default_tools;
pub(crate) mod docs;
pub(crate) mod document;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod history;
mod list_query;
mod list_values;
pub(crate) mod me;
pub(crate) mod metrics;
pub(crate) mod processing_status;
pub(crate) mod ready;
pub(crate) mod runbooks;
pub(crate) mod session;
pub(crate) mod session_summary;
pub(crate) mod sessions;
pub(crate) mod system;
pub(crate) mod timeline;
pub(crate) mod trace;
pub(crate) mod webhooks;
