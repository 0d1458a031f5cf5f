//! What is shipped around the program: the image, compose, Kubernetes, systemd.
//!
//! No container engine and no cluster is needed. What those would start is started here, with the arguments, the
//! environment and the configuration that the files give it; only paths, the port and the database are others.

mod dockerfile;
mod files;
mod started;

mod compose;
mod image;
mod kubernetes;
mod systemd;
