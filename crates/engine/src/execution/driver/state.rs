//! The state of one execution between two steps: the run, and tool calls that an interruption left
//! incomplete.

use tarsy_agent::{AgentRun, Happened, Record};
use tarsy_domain::{InteractionId, Timestamp, ToolCall};
use tarsy_store::RecordedFailure;

use super::waiting::FailedCall;
use crate::execution::history::{History, UndeliveredResult};
use crate::execution::started_calls::StartedCalls;
use crate::stop::halt::Halt;

/// The state of an execution.
pub(super) struct RunState {
    pub(super) run: AgentRun,
    /// The last model call, if it failed.
    failed_call: Option<FailedCall>,
    /// Results that are recorded and not delivered to the run.
    undelivered: Vec<UndeliveredResult>,
    /// Calls that were started before an interruption.
    started_calls: Option<StartedCalls>,
}

/// What is known about a requested tool call from before an interruption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PriorCall {
    /// Its result is recorded.
    Recorded(UndeliveredResult),
    /// It was started and must not be repeated; its outcome is unknown.
    Unknown,
}

impl RunState {
    pub(super) fn new(run: AgentRun) -> Self {
        Self { run, failed_call: None, undelivered: Vec::new(), started_calls: None }
    }

    /// Rebuilds the state after an interruption.
    pub(super) fn resume(history: History, failure: Option<RecordedFailure>) -> Self {
        let failed_call = failure.map(|RecordedFailure { provider, failure, ended_at }| FailedCall {
            provider,
            failure,
            ended_at,
        });
        let History { setup, happenings, messages, undelivered, started_calls } = history;
        let run = AgentRun::resume(setup, &happenings, &messages);
        Self { run, failed_call, undelivered, started_calls }
    }

    /// Applies a journal entry to the run; returns what has to be recorded with it.
    pub(super) fn apply(&mut self, happened: &Happened) -> Result<Record, Halt> {
        self.run.apply(happened).map_err(|error| Halt::Broken(error.to_string()))
    }

    /// Notes the end of a model call.
    pub(super) fn end_model_call(&mut self, provider: &str, happened: &Happened, ended_at: Timestamp) {
        self.failed_call = match happened {
            Happened::ModelFailed(failure) => {
                Some(FailedCall { provider: provider.to_owned(), failure: failure.clone(), ended_at })
            }
            Happened::Replied(_) | Happened::ToolReturned(_) => None,
        };
    }

    /// Returns the last model call, if it failed.
    pub(super) fn failed_call(&self) -> Option<&FailedCall> {
        self.failed_call.as_ref()
    }

    /// Returns for each call of an iteration what is known about it from before an interruption.
    pub(super) fn prior_calls(&self, calls: &[ToolCall]) -> Vec<Option<PriorCall>> {
        let mut undelivered = self.undelivered.clone();
        let prior = |call: &ToolCall| {
            if let Some(index) = undelivered.iter().position(|result| result.call_id == call.id) {
                return Some(PriorCall::Recorded(undelivered.remove(index)));
            }
            let started = self.started_calls.as_ref();
            let is_started = started.is_some_and(|started| started.includes(self.run.model_calls(), call));
            is_started.then_some(PriorCall::Unknown)
        };
        calls.iter().map(prior).collect()
    }

    /// Returns the record of the calls that are started now.
    pub(super) fn start_calls<'a>(&self, calls: impl IntoIterator<Item = &'a ToolCall>) -> StartedCalls {
        StartedCalls::new(self.run.model_calls(), calls, self.started_calls.as_ref())
    }

    /// Discards the calls that an interruption left incomplete; providers may reuse their ids in later
    /// iterations.
    pub(super) fn end_tool_calls(&mut self) {
        self.undelivered.clear();
        self.started_calls = None;
    }

    /// Returns the number of the next result: results are numbered in the order in which they are recorded.
    pub(super) fn next_result_number(&self) -> u32 {
        let undelivered = u32::try_from(self.undelivered.len()).unwrap_or(u32::MAX);
        self.run.tool_results() + undelivered + 1
    }

    /// Notes that a result was recorded without being delivered.
    pub(super) fn add_undelivered(&mut self, result: UndeliveredResult) {
        self.undelivered.push(result);
    }

    /// Notes that a recorded result is delivered.
    pub(super) fn remove_undelivered(&mut self, interaction_id: InteractionId) {
        self.undelivered.retain(|result| result.interaction_id != interaction_id);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use tarsy_agent::{AtLimit, Limits, RunRules, Setup};
    use tarsy_domain::{IterationStrategy, ModelReply, PromptProfile, TimelineEventType};

    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "k.restart".to_owned(), arguments: "{}".to_owned() }
    }

    fn undelivered(call_id: &str, number: u32) -> UndeliveredResult {
        let (call_id, text) = (call_id.to_owned(), "the full text".to_owned());
        UndeliveredResult { interaction_id: InteractionId::new(), call_id, number, text }
    }

    /// Returns the state of a run after one model call.
    fn state(undelivered: Vec<UndeliveredResult>, started_calls: Option<StartedCalls>) -> RunState {
        let setup = Setup {
            strategy: IterationStrategy::NativeThinking,
            prompt_profile: PromptProfile::Full,
            opening: Vec::new(),
            conclusion_request: String::new(),
            conclusion_event: TimelineEventType::FinalAnalysis,
            tools: Vec::new(),
            result_reader: None,
            rules: RunRules::default(),
            limits: Limits {
                max_iterations: NonZeroU32::MAX,
                at_limit: AtLimit::Fail,
                token_budget: None,
                context_window: None,
            },
        };
        let happenings = vec![Happened::Replied(ModelReply::default())];
        let history = History { setup, happenings, messages: Vec::new(), undelivered, started_calls };
        RunState::resume(history, None)
    }

    #[test]
    fn finds_the_prior_calls_of_an_iteration() {
        let (recorded, unknown) = (undelivered("a", 1), call("b"));
        let started = StartedCalls::new(1, [&unknown], None);
        let state = state(vec![recorded.clone()], Some(started));
        let recorded = Some(PriorCall::Recorded(recorded));
        let prior = state.prior_calls(&[call("a"), unknown, call("c")]);
        assert_eq!(prior, [recorded.clone(), Some(PriorCall::Unknown), None]);
        assert_eq!(
            state.prior_calls(&[call("a"), call("a")]),
            [recorded, None],
            "one result is delivered once"
        );
    }

    #[test]
    fn ignores_calls_that_were_started_in_an_earlier_iteration() {
        let started = StartedCalls::new(0, [&call("b")], None);
        assert_eq!(state(Vec::new(), Some(started)).prior_calls(&[call("b")]), [None]);
    }

    #[test]
    fn numbers_results_in_the_order_of_recording() {
        let mut state = state(Vec::new(), None);
        assert_eq!(state.next_result_number(), 1);
        let result = undelivered("a", 1);
        state.add_undelivered(result.clone());
        assert_eq!(state.next_result_number(), 2);
        state.remove_undelivered(result.interaction_id);
        assert_eq!(state.next_result_number(), 1, "the run counts delivered results");
    }
}
