//! Taking alerts in: from an HTTP request to a committed session.

mod alert;
mod mask;
mod selection;
mod submission;

pub(crate) use alert::{Alert, AlertDefaults, SubmitAlertRequest};
pub use mask::{AlertMask, MaskedAlert};
pub(crate) use submission::{SubmitAlertResponse, Submitted, submit};
