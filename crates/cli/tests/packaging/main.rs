//! What is shipped around the program: the image, compose, Kubernetes, systemd.
//!
//! No container engine and no cluster is needed. What those would start is started here, with the arguments, the
//! environment and the configuration that the files give it; only paths, the port and the database are others.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "../server/mod.rs"]
mod server;
#[path = "../tarsy/mod.rs"]
mod tarsy;

mod dockerfile;
mod files;
mod started;

mod compose;
mod image;
mod kubernetes;
mod systemd;
