//! `llm.v1` with peers in Python, generated from the contract without our own additions to it.

mod client;
mod python;
mod service;
