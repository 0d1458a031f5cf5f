//! The masker through its public interface: a corpus of samples, and properties of generated texts.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod corpus;
mod properties;
mod yaml;
