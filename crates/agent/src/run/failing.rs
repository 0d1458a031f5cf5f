//! Handles a failed model call: retries it, or ends the run.
//!
//! A failed call leaves the conversation as it was; the timeline has the failure. A call that did not reach
//! the model is no iteration: the agent needs its iterations for its work, and failures have their own limit.

use serde_json::json;
use tarsy_domain::{Message, ModelFailure, ModelFailureKind, TimelineEventType};

use super::outcome::FailureCause;
use super::record::Record;
use super::reply::some_text;
use super::thinking::EmptyReplyCause;
use super::{ATTEMPTS, AgentRun, Purpose};

impl AgentRun {
    pub(super) fn model_failed(&mut self, purpose: Purpose, failure: &ModelFailure, record: &mut Record) {
        self.usage += failure.usage;
        if failure.kind == ModelFailureKind::EmptyReply {
            self.count_call(purpose);
            return self.replied_nothing(purpose, EmptyReplyCause::NoText, record);
        }
        self.last_text = some_text(&failure.partial_text).or(self.last_text.take());
        record.add(
            TimelineEventType::Error,
            &failure.message,
            json!({ "source": "model", "kind": failure.kind, "partial_text": some_text(&failure.partial_text) }),
        );
        if failure.kind == ModelFailureKind::ContextTooLong && self.make_room() {
            self.calls += 1;
            self.failures.waited();
            return self.call_again(purpose, record);
        }
        self.count_failed_call(purpose, failure.kind);
        self.failures.failed(failure);
        self.continue_after(failure, purpose, record);
    }

    fn continue_after(&mut self, failure: &ModelFailure, purpose: Purpose, record: &mut Record) {
        if self.failures.too_many_timeouts() {
            let error = format!("two consecutive model calls timed out: {failure}");
            return self.fail(FailureCause::Timeouts, &error, record);
        }
        match failure.kind {
            ModelFailureKind::Credentials | ModelFailureKind::InvalidRequest => {
                self.fail_for(failure, "the model call failed, and a retry cannot succeed", record);
            }
            ModelFailureKind::ContextTooLong => {
                self.fail_for(
                    failure,
                    "the conversation is too long, and nothing can be removed from it",
                    record,
                );
            }
            ModelFailureKind::RateLimit
            | ModelFailureKind::Overloaded
            | ModelFailureKind::Timeout
            | ModelFailureKind::Network
            | ModelFailureKind::ContentFiltered
            | ModelFailureKind::EmptyReply
            | ModelFailureKind::Repetition
            | ModelFailureKind::ProviderBug => self.retry(failure, purpose, record),
        }
    }

    fn retry(&mut self, failure: &ModelFailure, purpose: Purpose, record: &mut Record) {
        if self.attempts_are_used_up(purpose) {
            return self.fail_for(failure, &format!("the model was called {ATTEMPTS} times"), record);
        }
        if let Some(error) = self.too_many_failures() {
            return self.fail_for(failure, &error, record);
        }
        if self.setup.rules.max_failed_calls.is_none()
            && self.setup.strategy.uses_tools()
            && purpose == Purpose::Iteration
        {
            // Executions of earlier versions have this message in their record.
            let feedback = format!("The last call of the model failed: {failure}. Go on from where you are.");
            self.say(record, Message::user(feedback));
        }
        self.call_again(purpose, record);
    }

    /// Returns why the run must end because of failed model calls, if it must: too many in succession, or as
    /// many in total as it has iterations.
    fn too_many_failures(&self) -> Option<String> {
        let max_in_row = self.setup.rules.max_failed_calls?;
        let (in_row, max) = (self.failures.failed_calls(), self.setup.limits.max_iterations.max(max_in_row));
        if in_row >= max_in_row.get() {
            return Some(format!("{in_row} consecutive model calls failed, the last one with"));
        }
        let failed = self.failed_calls;
        (failed >= max.get()).then(|| format!("{failed} model calls failed, the last one with"))
    }

    /// Shortens the conversation after the provider rejected it as too long; returns whether it became
    /// shorter. In that case the call does not count as an iteration.
    fn make_room(&mut self) -> bool {
        let replaced = self.conversation.refused();
        replaced.iter().for_each(|call_key| self.repeated_calls.forget(*call_key));
        !replaced.is_empty()
    }

    /// Counts a failed call.
    fn count_failed_call(&mut self, purpose: Purpose, kind: ModelFailureKind) {
        self.failed_calls += 1;
        let is_limited = self.setup.rules.max_failed_calls.is_some();
        let loops = purpose == Purpose::Iteration && self.setup.strategy.uses_tools();
        if is_limited && loops && !reached_model(kind) {
            self.calls += 1;
        } else {
            self.count_call(purpose);
        }
    }

    fn fail_for(&mut self, failure: &ModelFailure, why: &str, record: &mut Record) {
        self.fail(FailureCause::Model(failure.kind), &format!("{why}: {failure}"), record);
    }
}

/// Returns whether the model worked on a call that failed in this way.
const fn reached_model(kind: ModelFailureKind) -> bool {
    match kind {
        ModelFailureKind::RateLimit
        | ModelFailureKind::Overloaded
        | ModelFailureKind::Timeout
        | ModelFailureKind::Network
        | ModelFailureKind::Credentials
        | ModelFailureKind::InvalidRequest
        | ModelFailureKind::ContextTooLong => false,
        ModelFailureKind::ContentFiltered
        | ModelFailureKind::EmptyReply
        | ModelFailureKind::Repetition
        | ModelFailureKind::ProviderBug => true,
    }
}
