//! The routes, one file each.

mod health;
mod sessions;

pub use health::HealthResponse;
pub(crate) use health::health;
pub(crate) use sessions::list_sessions;
pub use sessions::{SessionPageResponse, SessionResponse};
