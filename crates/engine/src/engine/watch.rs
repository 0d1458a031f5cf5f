//! A look at a running engine, for those who tell people how it is doing.

use std::sync::Arc;

use tokio::task::AbortHandle;

use super::{Engine, Shared};

/// Looks at an engine, also while it stops. Cheap to clone.
#[derive(Clone)]
pub struct EngineWatch {
    shared: Arc<Shared>,
    claiming: AbortHandle,
}

/// Who works in an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCounts {
    /// How many there should be.
    pub configured: u64,
    /// How many there are: all, or none when nobody takes sessions any more.
    pub running: u64,
    /// How many of them are at a session.
    pub busy: u64,
}

impl Engine {
    /// A look at it that lasts.
    pub fn watch(&self) -> EngineWatch {
        EngineWatch { shared: Arc::clone(&self.shared), claiming: self.claiming.abort_handle() }
    }
}

impl EngineWatch {
    /// Who works now.
    pub fn workers(&self) -> WorkerCounts {
        let configured = u64::from(self.shared.queue().worker_count);
        let running = if self.claiming.is_finished() { 0 } else { configured };
        WorkerCounts { configured, running, busy: self.shared.held.count() as u64 }
    }
}
