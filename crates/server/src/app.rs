//! The state that all routes share.

use std::sync::Arc;

use futures_util::FutureExt;
use tarsy_config::Config;
use tarsy_masking::MaskerError;
use tarsy_store::Store;
use tokio_util::sync::CancellationToken;

use crate::access::{AccessControl, AccessMode};
use crate::intake::{AlertMask, WebhookAuth};
use crate::live::Batches;
use crate::metrics::Metrics;
use crate::runbooks::{RunbookLister, RunbookListing};
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
    /// Lists the runbooks that can be selected for an alert.
    pub(crate) runbook_lister: RunbookLister,
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
            runbook_lister: Arc::new(|| std::future::ready(RunbookListing::default()).boxed()),
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

    /// Sets the source of the list of runbooks. By default the list is empty.
    #[must_use]
    pub fn with_runbook_lister(self, runbook_lister: RunbookLister) -> Self {
        Self { runbook_lister, ..self }
    }
}
