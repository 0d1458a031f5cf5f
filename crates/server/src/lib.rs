//! HTTP for alert sources, people and programs, and the dashboard that is part of the binary.
//!
//! The server knows the store and nothing of the engine: they meet in the database. It has the only status codes
//! of the project and no SQL.

mod app;
mod router;

mod access;
mod intake;
mod live;
mod metrics;
mod routes;
mod system;
mod view;

mod assets;
mod body;
mod error;
mod extract;
mod inside;
mod known_parameters;
mod listen;
mod openapi;
mod page_size;

pub use access::{Access, ApiToken, Authentication, Principal};
pub use app::{App, Doors};
pub use error::ApiError;
pub use inside::Inside;
pub use intake::{AlertMask, LocalAlert, MaskedAlert, Webhooks, WebhooksError};
pub use listen::{ListenError, Listening};
pub use router::{openapi_document, router};
pub use routes::export::export;
pub use system::{
    McpServerReport, McpServerState, ProviderReport, Reporter, SystemReport, SystemWarning, WarningCategory,
    Workers,
};
