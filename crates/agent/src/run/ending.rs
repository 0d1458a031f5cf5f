//! Decides whether a run continues, and ends it.

use serde_json::json;
use tarsy_domain::{LoopKind, Message, TimelineEventType};

use super::outcome::{ConclusionCause, FailureCause, RunOutcome};
use super::record::Record;
use super::repetition::TurnNews;
use super::{AgentRun, AtLimit, Phase, Purpose};

impl AgentRun {
    /// Starts the next iteration, unless a limit is reached.
    pub(super) fn next_iteration(&mut self, record: &mut Record) {
        self.call_again(Purpose::Iteration, record);
    }

    /// Requests another model call for the same purpose, unless a limit is reached.
    pub(super) fn call_again(&mut self, purpose: Purpose, record: &mut Record) {
        if self.budget_is_spent() {
            return self.stop_for_budget(record);
        }
        if purpose == Purpose::Iteration && self.iterations_are_used_up() {
            return self.end_at_limit(record);
        }
        self.think(purpose);
    }

    /// Returns whether another model call for this purpose is within all limits.
    pub(super) fn may_call_again(&self, purpose: Purpose) -> bool {
        let is_at_limit = purpose == Purpose::Iteration && self.iterations_are_used_up();
        !self.budget_is_spent() && !self.attempts_are_used_up(purpose) && !is_at_limit
    }

    fn think(&mut self, purpose: Purpose) {
        for call_key in self.conversation.fit(self.setup.limits.context_window) {
            self.repeated_calls.forget(call_key);
        }
        self.phase = Phase::Thinking(purpose);
    }

    fn iterations_are_used_up(&self) -> bool {
        let loops = self.setup.strategy.loop_kind() != LoopKind::SingleShot;
        loops && self.iterations >= self.setup.limits.max_iterations.get()
    }

    fn end_at_limit(&mut self, record: &mut Record) {
        let reached = format!("the limit of {} iterations was reached", self.setup.limits.max_iterations);
        if let Some(failure) = self.failures.last_failure() {
            let error = format!("{reached}, and the last model call failed: {failure}");
            return self.fail(FailureCause::IterationLimit, &error, record);
        }
        match self.setup.limits.at_limit {
            AtLimit::Conclude => self.request_conclusion(record),
            AtLimit::Fail => {
                self.fail(FailureCause::IterationLimit, &format!("{reached} without a final answer"), record);
            }
        }
    }

    /// Starts the next iteration, or requests a conclusion if the agent has not learned anything for too long.
    pub(super) fn next_turn(&mut self, news: TurnNews, record: &mut Record) {
        let turns = self.repeated_calls.end_turn(news);
        let is_stuck = self.setup.rules.max_turns_without_news.is_some_and(|limit| turns >= limit.get());
        match self.setup.limits.at_limit {
            AtLimit::Conclude if is_stuck && !self.budget_is_spent() => self.request_conclusion(record),
            AtLimit::Conclude | AtLimit::Fail => self.next_iteration(record),
        }
    }

    fn request_conclusion(&mut self, record: &mut Record) {
        self.say(record, Message::user(self.setup.conclusion_request.clone()));
        self.think(Purpose::ForcedConclusion);
    }

    pub(super) fn budget_is_spent(&self) -> bool {
        self.setup.limits.token_budget.is_some_and(|budget| self.usage.total_tokens() >= budget)
    }

    /// Ends the run with the last text of the model, because no tokens are left for a conclusion.
    pub(super) fn stop_for_budget(&mut self, record: &mut Record) {
        if let Some(unfinished) = self.unfinished.take() {
            return self.accept_unfinished(&unfinished, record);
        }
        let budget = self.setup.limits.token_budget.unwrap_or_default();
        let (used, calls) = (self.usage.total_tokens(), self.calls);
        let spent =
            format!("the token budget of {budget} tokens was used up ({used} tokens in {calls} model calls)");
        let Some(text) = &self.last_text else {
            return self.fail(
                FailureCause::BudgetSpent,
                &format!("{spent} before the model wrote any text"),
                record,
            );
        };
        let analysis = format!("**Partial conclusion:** {spent}. The last text of the agent:\n\n{text}");
        self.conclude(analysis, ConclusionCause::BudgetSpent, record);
    }

    pub(super) fn conclude(&mut self, analysis: String, conclusion: ConclusionCause, record: &mut Record) {
        record.add(self.setup.conclusion_event, &analysis, json!({ "conclusion": conclusion.as_str() }));
        self.phase = Phase::Done(RunOutcome::Completed { analysis, conclusion });
    }

    /// Fails the run. A conclusion whose rest was requested is kept as an incomplete one.
    pub(super) fn fail(&mut self, cause: FailureCause, error: &str, record: &mut Record) {
        record.add(TimelineEventType::Error, error, json!({ "source": "run" }));
        if let Some(unfinished) = self.unfinished.take() {
            return self.accept_unfinished(&unfinished, record);
        }
        let partial = self.last_text.clone();
        self.phase = Phase::Done(RunOutcome::Failed { error: error.to_owned(), cause, partial });
    }
}

/// Returns the outcome of a run whose token budget is spent before its first call.
pub(super) fn without_budget() -> RunOutcome {
    RunOutcome::Failed {
        error: "the token budget was used up before the agent started".to_owned(),
        cause: FailureCause::BudgetSpent,
        partial: None,
    }
}
