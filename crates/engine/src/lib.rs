//! What an investigation is made of, put together from a configuration.
//!
//! [`Models`] answers for the configured providers. Nothing here knows HTTP routes, SQL or the command line.

mod models;
mod provider;

pub use models::Models;
pub use provider::SetupError;
