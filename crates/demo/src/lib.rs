//! The demo: incidents of a small shop's cluster, tools that look at them over MCP, and recordings that investigate them.
//!
//! An [`Incident`] is a folder of plain files under `incidents/`, on top of the healthy `shop`. [`serve_cluster`] is the MCP server
//! that shows one. A [`Setting`] is the configuration that investigates one. Everything is a part of the binary; nothing here
//! starts a server for people or knows the engine.

mod offset;
mod present;

mod deploy;
mod event;
mod log;
mod metric;
mod object;

mod nearest;
mod table;

mod cluster;
mod incident;

mod tool;

mod cast;
mod server;
mod setting;

pub use cast::{Cast, CompatibleKey};
pub use incident::{ContentFault, Incident, UnknownIncident};
pub use server::{ServeError, serve_cluster};
pub use setting::{Alert, Pace, Setting, SettingError};
