//! The stages of a session and the executions of their agents: rows with a status that only moves forward.

pub(crate) mod execution;
pub(crate) mod outline;
pub(crate) mod rejected_transition;
pub(crate) mod stage;
