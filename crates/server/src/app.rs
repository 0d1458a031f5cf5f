//! The application: what the routes share.

use std::sync::Arc;

use tarsy_config::Config;
use tarsy_masking::MaskerError;
use tarsy_store::Store;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, Doorkeeper};
use crate::intake::{AlertMask, Webhooks};
use crate::live::Batches;
use crate::metrics::Metrics;
use crate::system::{Reporter, SystemReport};

/// What the routes share. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The record.
    pub(crate) store: Store,
    /// The configuration.
    pub(crate) config: Arc<Config>,
    /// Who decides who may come in.
    pub(crate) doorkeeper: Arc<Doorkeeper>,
    /// What senders of webhooks must show.
    pub(crate) webhooks: Arc<Webhooks>,
    /// What may be stored of an alert.
    pub(crate) alert_mask: Arc<AlertMask>,
    /// What watchers of the same session share.
    pub(crate) batches: Batches,
    /// What is counted while serving.
    pub(crate) metrics: Metrics,
    /// How what works beside the server is doing.
    pub(crate) reporter: Reporter,
    /// The version of the binary.
    pub(crate) version: &'static str,
    /// Cancelled when the server is about to stop: nothing new is taken in then.
    pub(crate) stopping: CancellationToken,
}

/// The ways in.
#[derive(Debug)]
pub struct Doors {
    /// Who may come in.
    pub access: Access,
    /// What senders of webhooks must show.
    pub webhooks: Webhooks,
}

impl App {
    /// An application over this record. `stopping` is cancelled when the server is about to stop.
    pub fn new(
        store: Store,
        config: Arc<Config>,
        doors: Doors,
        version: &'static str,
        stopping: CancellationToken,
    ) -> Result<Self, MaskerError> {
        Ok(Self {
            batches: Batches::new(store.clone()),
            alert_mask: Arc::new(AlertMask::new(&config)?),
            doorkeeper: Arc::new(Doorkeeper::new(doors.access, &config, store.clone())),
            webhooks: Arc::new(doors.webhooks),
            metrics: Metrics::new(),
            reporter: Arc::new(SystemReport::default),
            store,
            config,
            version,
            stopping,
        })
    }

    /// The same beside something that works, which is told about. Without it nothing does.
    #[must_use]
    pub fn beside(self, reporter: Reporter) -> Self {
        Self { reporter, ..self }
    }
}
