//! Taking alerts in: from an HTTP request to a committed session.

mod alert;
mod alertmanager;
mod local_alert;
mod mask;
mod proof;
mod selection;
mod submission;

pub(crate) use alert::{Alert, AlertDefaults, Author, SubmitAlertRequest};
pub(crate) use alertmanager::{AlertmanagerNotification, Notification};
pub use local_alert::LocalAlert;
pub use mask::{AlertMask, MaskedAlert};
pub(crate) use proof::{NOTIFICATION, WebhookGate, admit_alertmanager};
pub use proof::{Webhooks, WebhooksError};
pub(crate) use submission::{
    RETRY_WHEN_FULL_S, SubmitAlertResponse, Submitted, hear_of_firing, hear_of_the_end,
    refuse_while_stopping, submit,
};
