//! The tool calls of one iteration: made concurrently, delivered in the order of the calls.

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tarsy_domain::{InteractionId, LivePart, Timestamp, ToolCall, ToolName, ToolStatus};
use tarsy_store::{LiveText, encode_json};
use tarsy_tools::{CallProgress, Cancelled, ToolOutcome};
use tokio::time::Instant;
use tracing::Instrument;

use super::DriverContext;
use super::delivery::NewResult;
use super::state::{PriorCall, RunState};
use crate::digest::Digester;
use crate::digest::read_result::ReadResult;
use crate::spans;
use crate::stop::StopCause;
use crate::stop::halt::Halt;

/// A call that is ready to be delivered.
enum ReadyCall {
    New(NewResult),
    Prior(PriorCall),
}

impl DriverContext<'_> {
    /// Makes the calls that the run requests, except those that were made before an interruption.
    pub(super) async fn call_tools(&self, state: &mut RunState, calls: &[ToolCall]) -> Result<(), Halt> {
        let prior = state.prior_calls(calls);
        self.record_started(state, calls, &prior).await?;
        let pairs = calls.iter().zip(prior);
        let mut ready: FuturesOrdered<_> = pairs.map(|(call, prior)| self.make_ready(call, prior)).collect();
        for call in calls {
            match ready.next().await.transpose()? {
                Some(ReadyCall::New(result)) => self.deliver_new(state, call, result).await?,
                Some(ReadyCall::Prior(prior)) => self.deliver_prior(state, call, prior).await?,
                None => break,
            }
        }
        state.end_tool_calls();
        Ok(())
    }

    /// Records the calls that are about to be made and must not be repeated after an interruption.
    async fn record_started(
        &self,
        state: &RunState,
        calls: &[ToolCall],
        prior: &[Option<PriorCall>],
    ) -> Result<(), Halt> {
        let new = calls.iter().zip(prior).filter(|(_, prior)| prior.is_none()).map(|(call, _)| call);
        let new: Vec<&ToolCall> = new.filter(|call| !self.tools.may_repeat(&call.name)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let started = encode_json("started_calls", &state.start_calls(new))?;
        self.work.recorder.tools_started(self.execution_id, started).await
    }

    async fn make_ready(&self, call: &ToolCall, prior: Option<PriorCall>) -> Result<ReadyCall, Halt> {
        if let Some(prior) = prior {
            return Ok(ReadyCall::Prior(prior));
        }
        let started_at = Timestamp::now();
        let interaction_id = InteractionId::new();
        let place = self.live_scope(interaction_id);
        let progress = self.work.resources.store.live_text(place, LivePart::ToolProgress);
        let span = spans::execute_tool(call);
        let calling = self.call_tool(call, &progress).instrument(span.clone());
        // A server's tools have their own timeout.
        let outcome = calling.await?;
        spans::end_execute_tool(&span, outcome.status);
        Ok(ReadyCall::New(NewResult { interaction_id, started_at, outcome, progress }))
    }

    async fn call_tool(&self, call: &ToolCall, live: &LiveText) -> Result<ToolOutcome, Halt> {
        let began = Instant::now();
        if ReadResult::is_meant_by(&call.name) {
            return Ok(match self.read_result(call).await? {
                Ok(text) => local_outcome(call, ToolStatus::Ok, text, began),
                Err(wrong) => local_outcome(call, ToolStatus::Error, wrong, began),
            });
        }
        let Some(toolbox) = &self.tools.toolbox else {
            return Ok(local_outcome(call, ToolStatus::Error, "this agent has no tools", began));
        };
        if !self.work.selection.allows(ToolName::parse(&call.name)) {
            return Ok(local_outcome(
                call,
                ToolStatus::Error,
                "this tool is not part of the tool selection of this alert",
                began,
            ));
        }
        self.stop.stop_if_lease_expired();
        let called = toolbox.call(call, self.stop.token(), |news| live.restart(&progress_text(&news))).await;
        called.map_err(|Cancelled| Halt::Stopped(self.stop.cause().unwrap_or(StopCause::LeaseLost)))
    }

    /// Reads a part of an earlier result. The inner error is for the model.
    async fn read_result(&self, call: &ToolCall) -> Result<Result<String, String>, Halt> {
        let wanted = match ReadResult::parse(&call.arguments) {
            Ok(wanted) => wanted,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let found = match self.find_result(&wanted.id).await? {
            Ok(found) => found,
            Err(unknown) => return Ok(Err(unknown)),
        };
        let store = &self.work.resources.store;
        let full_text = store.tool_result_fetch(self.work.session.session_id, found).await?;
        let digester = Digester::for_server(&self.work.resources.config, "", &self.agent.llm_provider);
        Ok(wanted.read(&full_text.unwrap_or_default(), digester.threshold()))
    }
}

/// Returns the progress of a tool for people: `3 of 10: reading pods`.
fn progress_text(progress: &CallProgress) -> String {
    let done = match progress.total {
        Some(total) => format!("{} of {total}", progress.done),
        None => progress.done.to_string(),
    };
    match &progress.message {
        Some(message) => format!("{done}: {message}"),
        None => done,
    }
}

/// Returns the outcome of a call that was handled without a tool server.
fn local_outcome(
    call: &ToolCall,
    status: ToolStatus,
    text: impl Into<String>,
    began: Instant,
) -> ToolOutcome {
    ToolOutcome {
        call_id: call.id.clone(),
        tool: None,
        text: text.into(),
        status,
        duration: began.elapsed(),
        attempts: 0,
        sent_arguments: None,
    }
}
