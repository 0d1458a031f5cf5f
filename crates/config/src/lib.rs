//! Files and environment in, one checked, immutable, resolved configuration out.
//!
//! [`Config::load`] is the door. Behind it, in this order: the `files` of a directory; `yaml` into a located
//! `tree`; the `reader`, which walks the tree by the `shape` of the [file types](mod@file), fills variables and
//! finds every fault; the `rules` between values; the [built-ins](builtin) underneath; and [`resolve()`],
//! which says what a chain means.
//!
//! Nothing here starts anything, connects to anything or checks that a credential works.

mod environment;
mod network;
mod period;
mod sensitive;

mod diagnostic;
mod excerpt;
mod locations;
mod path;
mod source;
mod suggest;

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
pub use period::{NotAPeriod, Period};
pub use reference::reference;
pub use resolve::{
    DEFAULT_ITERATION_TIMEOUT, DEFAULT_MAX_ITERATIONS, ResolvedAgent, ResolvedChain, ResolvedStage, resolve,
};
pub use schema::json_schema;
pub use summary::{AgentSummary, ChainSummary, ConfigSummary, ProviderSummary, ServerSummary, StageSummary};
pub use templates::TemplateFile;
