//! HTTP for alert sources, people and programs, and the dashboard that is part of the binary.
//!
//! The server knows the store and nothing of the engine: they meet in the database. It has the only status codes
//! of the project and no SQL.

mod app;
mod assets;
mod error;
mod listen;
mod routes;

pub use app::{App, router};
pub use error::ApiError;
pub use listen::{ListenError, Listening};
pub use routes::{HealthResponse, SessionPageResponse, SessionResponse};
