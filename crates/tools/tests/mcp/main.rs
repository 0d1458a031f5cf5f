//! The tool box against real servers, and against one that does what servers should not do.
//!
//! The servers nobody here wrote are installed by `scripts/install-test-tools`; the faulty ones are scripts in `peers`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod cancellation;
mod conformance;
mod everything;
mod faults;
mod http_faults;
mod orphans;
mod servers;
mod sse_faults;
mod support;
mod versions;
