//! The demo: incidents in the cluster of a small shop, MCP tools that read it, and recordings that investigate it.
//!
//! An [`Incident`] is a folder of plain files under `incidents/`, on top of the healthy `shop`. [`serve_cluster`] is an
//! MCP server for the cluster of an incident. A [`DemoConfig`] is the configuration that investigates it. All files are
//! embedded in the binary. This crate starts no HTTP server and does not depend on the engine.

mod incident_clock;
mod offset;

mod deploy;
mod event;
mod log;
mod metric;
mod object;

mod suggestion;
mod table;

mod cluster;
mod incident;

mod tool;

mod config;
mod model;
mod server;

pub use config::{DemoAlert, DemoConfig, DemoConfigError, DemoPace};
pub use incident::{ContentError, Incident, UnknownIncident};
pub use model::{CompatibleKey, DemoModel};
pub use server::{ClusterServerError, serve_cluster};
