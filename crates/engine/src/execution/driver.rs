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
use tarsy_store::{Journal, RecordedFailure};

use crate::execution::history::History;
use crate::stop::halt::Halt;

pub(crate) use context::DriverContext;
use state::RunState;
pub(crate) use waiting::rounded;

mod context;
mod state;

mod model_call;
mod tool_calls;

mod waiting;

mod call_record;
mod delivery;
mod digesting;
mod result_lookup;

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
        Self { context, state: RunState::new(AgentRun::new(setup)) }
    }

    /// Rebuilds an interrupted run from its journal. An interrupted model call gets its full time again.
    /// `failure` is the last model call, if it failed.
    pub(crate) fn resume(
        context: DriverContext<'a>,
        journal: Journal,
        failure: Option<RecordedFailure>,
    ) -> Result<Self, Halt> {
        let state = RunState::resume(History::of(journal)?, failure);
        Ok(Self { context, state })
    }

    /// Drives the run until it is done. An interrupted run returns the last text of the model, so that it can
    /// be recorded.
    pub(crate) async fn run(mut self) -> Result<RunOutcome, Interrupted> {
        let Self { context, state } = &mut self;
        loop {
            let done = match state.run.next() {
                Ask::Model(ask) => match context.wait(state, ask.pause).await {
                    Ok(None) => context.call_model(state, ask).await,
                    Ok(Some(outcome)) => return Ok(outcome),
                    Err(halt) => Err(halt),
                },
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
