//! The packaging: the image, compose, Kubernetes, systemd.
//!
//! The tests need no container engine and no cluster. They start the program with the arguments, the environment and the
//! configuration of the packaging files; only paths, the port and the database differ.

mod dockerfile;
mod files;
mod launch;

mod compose;
mod image;
mod kubernetes;
mod systemd;
