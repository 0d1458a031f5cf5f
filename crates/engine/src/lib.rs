//! What an investigation is made of, put together from a configuration.
//!
//! [`Models`] answers for the configured providers. [`Maskers`] and a [`SessionMask`] keep secrets from everybody.
//! [`Servers`] opens the tool box of an execution, and a [`Digester`] makes its results short enough to think about.
//! Nothing here knows HTTP routes, SQL or the command line.

mod models;
mod provider;

mod maskers;
mod session_mask;

mod servers;

mod digest;
mod read_result;
mod summarize;

pub use digest::{Digest, Digester, Shortening, ToolText};
pub use maskers::{Maskers, MaskersError};
pub use models::Models;
pub use provider::{SetupError, Unfit};
pub use read_result::{READ_RESULT, ReadResult, read_result_definition, unknown_result};
pub use servers::{Servers, UnknownServer};
pub use session_mask::SessionMask;
pub use summarize::{Summarizer, Summary};
