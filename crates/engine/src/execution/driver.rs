//! The driver of one agent: does what the pure run requests, records the result and applies it to the run.
//!
//! ```text
//!  driver ─▶ model_call ──┬─▶ delivery (applies to the run, records)
//!         ─▶ tool_calls ──┘      └─▶ digesting
//! ```
//!
//! Every step is recorded before the next one starts, so the process may die between any two lines of these
//! files.

use tarsy_agent::{AgentRun, Ask, RunOutcome, Setup};
use tarsy_store::Journal;

use crate::execution::history::History;
use crate::stop::halt::Halt;

pub(crate) use context::DriverContext;
use state::RunState;

mod context;
mod state;

mod model_call;
mod tool_calls;

mod call_record;
mod delivery;
mod digesting;

/// A run and the context in which it is executed.
pub(crate) struct Driver<'a> {
    context: DriverContext<'a>,
    state: RunState,
}

/// A run that stopped before its end.
pub(crate) struct Interrupted {
    pub(crate) halt: Halt,
    /// The last text of the model.
    pub(crate) last_text: Option<String>,
}

impl<'a> Driver<'a> {
    /// Starts a new run.
    pub(crate) fn new(context: DriverContext<'a>, setup: Setup) -> Self {
        let state = RunState::new(AgentRun::new(setup), context.iteration_deadline());
        Self { context, state }
    }

    /// Rebuilds an interrupted run from its journal. The interrupted iteration gets its full time again,
    /// because the time it had used is not recorded.
    pub(crate) fn resume(context: DriverContext<'a>, journal: Journal) -> Result<Self, Halt> {
        let state = RunState::resume(History::of(journal)?, context.iteration_deadline())?;
        Ok(Self { context, state })
    }

    /// Drives the run until it is done. An interrupted run returns the last text of the model, so that it can
    /// be recorded.
    pub(crate) async fn run(mut self) -> Result<RunOutcome, Interrupted> {
        let Self { context, state } = &mut self;
        loop {
            let done = match state.run.next() {
                Ask::Model(ask) => context.call_model(state, ask).await,
                Ask::Tools(calls) => context.call_tools(state, &calls).await,
                Ask::Done(outcome) => return Ok(outcome),
            };
            if let Err(halt) = done {
                return Err(Interrupted { halt, last_text: state.run.last_text().map(str::to_owned) });
            }
        }
    }
}

impl From<Halt> for Interrupted {
    fn from(halt: Halt) -> Self {
        Self { halt, last_text: None }
    }
}
