//! What an investigation is made of, put together from a configuration.
//!
//! [`Models`] answers for the configured providers. [`Maskers`] and a [`SessionMask`] keep secrets from everybody.
//! [`Servers`] opens the tool box of an execution. Nothing here knows HTTP routes, SQL or the command line.

mod models;
mod provider;

mod maskers;
mod session_mask;

mod servers;

pub use maskers::{Maskers, MaskersError};
pub use models::Models;
pub use provider::{SetupError, Unfit};
pub use servers::{Servers, UnknownServer};
pub use session_mask::SessionMask;
