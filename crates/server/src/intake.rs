//! Taking alerts in: from an HTTP request to a committed session.

mod mask;

pub use mask::{AlertMask, MaskedAlert};
