//! A handle to observe a running engine, for health checks and metrics.

use std::sync::Arc;

use tokio::task::AbortHandle;

use super::{Engine, EngineShared};

/// Observes an engine, also while it stops. Cheap to clone.
#[derive(Clone)]
pub struct EngineWatch {
    shared: Arc<EngineShared>,
    claiming: AbortHandle,
}

/// The workers of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCounts {
    /// Configured number of workers.
    pub configured: u64,
    /// Running workers: all of them, or 0 after the claim loop has ended.
    pub running: u64,
    /// Workers that run a session.
    pub busy: u64,
}

impl Engine {
    /// Returns a handle that stays valid while the engine stops.
    pub fn watch(&self) -> EngineWatch {
        EngineWatch { shared: Arc::clone(&self.shared), claiming: self.claiming.abort_handle() }
    }
}

impl EngineWatch {
    /// Returns the current number of workers.
    pub fn workers(&self) -> WorkerCounts {
        let configured = u64::from(self.shared.queue().worker_count);
        let running = if self.claiming.is_finished() { 0 } else { configured };
        WorkerCounts { configured, running, busy: self.shared.held.count() as u64 }
    }
}
