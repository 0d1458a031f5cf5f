//! Loads configuration files and the environment into one validated, immutable configuration.
//!
//! [`Config::load`] is the entry point. Its steps, in order: `files` finds the files of a directory; `yaml`
//! parses them into a `tree` with positions; the `reader` walks the tree by the `shape` of the [file
//! types](mod@file), expands variables and reports every error; the `rules` check values against each other;
//! the [built-ins](builtin) are merged; and [`resolve()`] computes the effective settings of a chain.
//!
//! This crate starts nothing, connects to nothing and does not check that credentials work.

mod environment;
mod network;
mod origin;
mod period;
mod sensitive;

mod diagnostic;
mod excerpt;
mod locations;
mod path;
mod source;
mod suggest;

mod env_file;
mod files;
mod templates;
mod tree;
mod yaml;

mod address;
mod expand;
mod reader;
mod shape;

pub mod builtin;
pub mod file;

mod load;
mod rules;

mod config;
mod resolve;

mod reference;
mod schema;
mod summary;
mod view;

pub use config::{ANY_ALERT_TYPE, Config, UnknownAlertType, UnknownMcpServer};
pub use diagnostic::{Diagnostic, Diagnostics, Severity, SourceLocation};
pub use environment::Environment;
pub use expand::ServedExecution;
pub use file::agent_name;
pub use load::Loaded;
pub use network::{Network, NotANetwork};
pub use origin::{NotAnOrigin, OriginPattern};
pub use period::{NotAPeriod, Period};
pub use reference::reference;
pub use resolve::{
    DEFAULT_MAX_ITERATIONS, ResolvedAgent, ResolvedChain, ResolvedStage, RulesVersion,
    default_iteration_timeout, resolve,
};
pub use schema::json_schema;
pub use summary::{AgentSummary, ChainSummary, ConfigSummary, ProviderSummary, ServerSummary, StageSummary};
pub use templates::TemplateFile;
