//! The application: what the routes share.

use std::sync::Arc;

use tarsy_config::Config;
use tarsy_store::Store;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::intake::AlertMask;

/// What the routes share. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The record.
    pub store: Store,
    /// The configuration.
    pub config: Arc<Config>,
    /// Who may come in.
    pub access: Arc<Access>,
    /// What may be stored of an alert.
    pub alert_mask: Arc<AlertMask>,
    /// The version of the binary.
    pub version: &'static str,
    /// Cancelled when the server is about to stop: nothing new is taken in then.
    pub stopping: CancellationToken,
}
