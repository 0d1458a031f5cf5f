//! The HTTP server: alert intake, the API for people and programs, the live stream and the embedded
//! dashboard.
//!
//! It depends on the store and not on the engine: the two communicate through the database. HTTP status codes
//! appear only in this crate; it contains no SQL.

mod app;
mod router;

mod access;
mod intake;
mod live;
mod metrics;
mod routes;
mod runbooks;
mod system;
mod view;

mod assets;
mod body;
mod error;
mod extract;
mod in_process;
mod known_parameters;
mod listen;
mod openapi;
mod page_size;

pub use access::{AccessMode, Authentication, GeneratedToken, Principal};
pub use app::{AccessPolicy, App};
pub use error::ApiError;
pub use in_process::InProcessServer;
pub use intake::{AlertMask, LocalAlert, MaskedAlert, WebhookAuth, WebhookAuthError};
pub use listen::{ListenError, Listening};
pub use router::{openapi_document, router};
pub use routes::export::export;
pub use runbooks::{ListedRunbook, RunbookLister, RunbookListing};
pub use system::{
    McpServerReport, McpServerState, McpToolReport, ProviderReport, Reporter, SystemReport, SystemWarning,
    WarningCategory, Workers,
};
