//! What investigations share, built once from a configuration: models, MCP servers and maskers.

pub(crate) mod maskers;
pub(crate) mod models;
pub(crate) mod provider;
pub(crate) mod servers;
pub(crate) mod session_mask;
