//! Alert intake: from an HTTP request to a committed session.

mod alert;
mod alertmanager;
mod envelope;
mod local_alert;
mod mask;
mod selection;
mod submission;
mod webhook_auth;

pub(crate) use alert::{AlertDefaults, Author, IncomingAlert, SubmitAlertRequest};
pub(crate) use alertmanager::{AlertmanagerNotification, Notification};
pub use local_alert::LocalAlert;
pub use mask::{AlertMask, MaskedAlert};
pub(crate) use submission::{
    RETRY_WHEN_FULL_S, SubmissionResult, SubmitAlertResponse, receive_firing, receive_resolution,
    reject_while_stopping, submit,
};
pub(crate) use webhook_auth::{NOTIFICATION, WebhookGuard, authorize_alertmanager};
pub use webhook_auth::{WebhookAuth, WebhookAuthError};
