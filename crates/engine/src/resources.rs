//! The resources that all sessions share, built once from a configuration: models, MCP servers, maskers,
//! prompts and runbooks.

pub(crate) mod maskers;
pub(crate) mod models;
pub(crate) mod provider;
pub(crate) mod servers;
pub(crate) mod session_mask;

use std::sync::Arc;

use tarsy_agent::Prompts;
use tarsy_config::Config;
use tarsy_store::Store;

use crate::{Maskers, Models, Runbooks, Servers};

/// The shared resources of an engine.
pub struct EngineResources {
    /// Configuration.
    pub config: Arc<Config>,
    /// Database.
    pub store: Store,
    /// Models of the configured providers.
    pub models: Arc<Models>,
    /// MCP servers.
    pub servers: Arc<Servers>,
    /// Maskers for alerts and tool results.
    pub maskers: Arc<Maskers>,
    /// Prompt templates.
    pub prompts: Arc<Prompts>,
    /// Sources of runbooks.
    pub runbooks: Arc<Runbooks>,
}
