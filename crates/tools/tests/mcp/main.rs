//! The toolbox against third-party servers, and against servers that misbehave on purpose.
//!
//! `scripts/install-test-tools` installs the third-party servers; the faulty ones are scripts in `peers`.

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
