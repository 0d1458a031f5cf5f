//! `llm.v1` with peers in Python, generated from the protocol without our extensions.

mod client;
mod python;
mod service;
