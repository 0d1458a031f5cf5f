//! The state that all routes share.

use std::sync::Arc;

use tarsy_config::Config;
use tarsy_masking::MaskerError;
use tarsy_store::Store;
use tokio_util::sync::CancellationToken;

use crate::access::{AccessControl, AccessMode};
use crate::intake::{AlertMask, WebhookAuth};
use crate::live::Batches;
use crate::metrics::Metrics;
use crate::system::{Reporter, SystemReport};

/// The state that all routes share. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub(crate) store: Store,
    /// The configuration.
    pub(crate) config: Arc<Config>,
    /// Authenticates and authorizes requests.
    pub(crate) access_control: Arc<AccessControl>,
    /// Authenticates webhook senders.
    pub(crate) webhooks: Arc<WebhookAuth>,
    /// Masks secrets in alerts before they are stored.
    pub(crate) alert_mask: Arc<AlertMask>,
    /// Event pages that clients of the same session share.
    pub(crate) batches: Batches,
    /// Metrics of this server.
    pub(crate) metrics: Metrics,
    /// Reports the state of workers, MCP servers and providers.
    pub(crate) reporter: Reporter,
    /// The version of the binary.
    pub(crate) version: &'static str,
    /// Cancelled when the server shuts down: no new alerts are accepted then.
    pub(crate) stopping: CancellationToken,
}

/// How requests are authenticated.
#[derive(Debug)]
pub struct AccessPolicy {
    /// How people and programs are authenticated.
    pub access: AccessMode,
    /// How webhook senders are authenticated.
    pub webhooks: WebhookAuth,
}

impl App {
    /// Creates the state for a server over `store`. `stopping` is cancelled when the server shuts down. Fails
    /// if a configured masking pattern is invalid.
    pub fn new(
        store: Store,
        config: Arc<Config>,
        policy: AccessPolicy,
        version: &'static str,
        stopping: CancellationToken,
    ) -> Result<Self, MaskerError> {
        Ok(Self {
            batches: Batches::new(store.clone()),
            alert_mask: Arc::new(AlertMask::new(&config)?),
            access_control: Arc::new(AccessControl::new(policy.access, &config, store.clone())),
            webhooks: Arc::new(policy.webhooks),
            metrics: Metrics::new(),
            reporter: Arc::new(SystemReport::default),
            store,
            config,
            version,
            stopping,
        })
    }

    /// Sets the source of the system report. By default the report is empty.
    #[must_use]
    pub fn with_reporter(self, reporter: Reporter) -> Self {
        Self { reporter, ..self }
    }
}
