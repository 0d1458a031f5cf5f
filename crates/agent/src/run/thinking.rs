//! Handles the end of a model call: a reply or a failure.
//!
//! A failed call leaves the conversation as it was, and the timeline has the failure. An empty reply is
//! followed by a message to the model: the same request would often get the same empty reply.

use serde_json::json;
use tarsy_domain::{LoopKind, Message, ModelFailure, ModelFailureKind, ModelReply, TimelineEventType};

use super::cut_off::{UnfinishedConclusion, without_incomplete_parts};
use super::outcome::FailureCause;
use super::record::Record;
use super::reply::{self, InterpretedReply, ReplyContext, ReplyMeaning, some_text};
use super::{ATTEMPTS, AgentRun, Purpose};

/// Why a reply has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EmptyReplyCause {
    /// The model wrote none.
    NoText,
    /// The output limit was reached before the text, usually by reasoning.
    OutputLimit,
}

impl AgentRun {
    pub(super) fn replied(&mut self, purpose: Purpose, reply: &ModelReply, record: &mut Record) {
        self.count_call(purpose);
        self.usage += reply.usage;
        self.conversation.measured(reply.usage.input_tokens);
        if self.continued(purpose, reply, record) {
            return;
        }
        let mut interpreted = reply::interpret(reply, self.reply_context(purpose), record);
        if reply.cut_off {
            interpreted = without_incomplete_parts(interpreted, reply);
        }
        let InterpretedReply { meaning, text, message } = interpreted;
        if meaning == ReplyMeaning::Empty {
            return self.replied_nothing(purpose, EmptyReplyCause::of(reply), record);
        }
        self.failures.replied();
        self.last_text = text.or(self.last_text.take());
        if let Some(message) = message {
            self.say(record, message);
        }
        self.follow(purpose, meaning, reply, record);
    }

    /// Does what a reply means.
    fn follow(&mut self, purpose: Purpose, meaning: ReplyMeaning, reply: &ModelReply, record: &mut Record) {
        match meaning {
            ReplyMeaning::Conclude(analysis) if self.needs_tool_call(purpose) => {
                self.request_tool_call(&analysis, record);
            }
            ReplyMeaning::Conclude(analysis) if reply.cut_off => {
                self.request_rest(purpose, UnfinishedConclusion::new(&analysis, reply), record);
            }
            ReplyMeaning::Conclude(analysis) => self.conclude(analysis, purpose.conclusion_cause(), record),
            ReplyMeaning::Act(_) | ReplyMeaning::Correct { .. } if self.budget_is_spent() => {
                self.stop_for_budget(record);
            }
            ReplyMeaning::Act(pending) => self.act(pending, record),
            ReplyMeaning::Correct { problem, feedback } => {
                record.add(TimelineEventType::Error, &problem, json!({ "source": "format" }));
                self.correct(purpose, &problem, feedback, record);
            }
            ReplyMeaning::Empty => {}
        }
    }

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

    /// Sends feedback about an invalid reply to the model, unless its attempts to conclude are used up.
    fn correct(&mut self, purpose: Purpose, problem: &str, feedback: String, record: &mut Record) {
        if self.attempts_are_used_up(purpose) {
            let error = format!("the iterations are used up, and the model did not conclude: {problem}");
            return self.fail(FailureCause::IterationLimit, &error, record);
        }
        self.say(record, Message::user(feedback));
        self.call_again(purpose, record);
    }

    fn replied_nothing(&mut self, purpose: Purpose, cause: EmptyReplyCause, record: &mut Record) {
        self.failures.replied_nothing();
        record.add(
            TimelineEventType::Error,
            cause.description(),
            json!({ "source": "model", "kind": ModelFailureKind::EmptyReply }),
        );
        if self.failures.too_many_empty_replies() || self.attempts_are_used_up(purpose) {
            let error = "the replies of the model were empty";
            return self.fail(FailureCause::Model(ModelFailureKind::EmptyReply), error, record);
        }
        let loops = purpose == Purpose::Iteration && self.setup.strategy.uses_tools();
        let wanted =
            if loops { "Take the next step, or give your final answer." } else { "Give your answer." };
        self.say(record, Message::user(format!("{} {wanted}", cause.feedback())));
        self.call_again(purpose, record);
    }

    fn fail_for(&mut self, failure: &ModelFailure, why: &str, record: &mut Record) {
        self.fail(FailureCause::Model(failure.kind), &format!("{why}: {failure}"), record);
    }

    pub(super) fn reply_context(&self, purpose: Purpose) -> ReplyContext<'_> {
        ReplyContext {
            purpose,
            loop_kind: self.setup.strategy.loop_kind(),
            tools: self.tools.known(),
            iteration: self.iterations,
        }
    }

    fn count_call(&mut self, purpose: Purpose) {
        self.calls += 1;
        match purpose {
            Purpose::Iteration => self.iterations += 1,
            Purpose::ForcedConclusion => self.conclusions += 1,
        }
    }

    /// Counts a failed call. A call that did not reach the model is no iteration of a loop: the agent needs
    /// its iterations for its work, and failures have their own limit.
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

    /// Returns whether the attempts for a required text are used up. Iterations of a loop have their own
    /// limit.
    pub(super) fn attempts_are_used_up(&self, purpose: Purpose) -> bool {
        match (purpose, self.setup.strategy.loop_kind()) {
            (Purpose::ForcedConclusion, _) => self.conclusions >= ATTEMPTS,
            (Purpose::Iteration, LoopKind::SingleShot) => self.iterations >= ATTEMPTS,
            (Purpose::Iteration, LoopKind::React | LoopKind::FunctionCalling) => false,
        }
    }
}

impl EmptyReplyCause {
    fn of(reply: &ModelReply) -> Self {
        if reply.cut_off { Self::OutputLimit } else { Self::NoText }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::NoText => "The model's reply was empty",
            Self::OutputLimit => "The model reached its output limit before it wrote any text",
        }
    }

    const fn feedback(self) -> &'static str {
        match self {
            Self::NoText => "Your last reply was empty.",
            Self::OutputLimit => {
                "Your last reply reached the output limit before it contained any text. Think less."
            }
        }
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
