//! Handles the end of a model call: a reply or a failure.

use serde_json::json;
use tarsy_domain::{LoopKind, Message, ModelFailure, ModelFailureKind, ModelReply, TimelineEventType};

use super::outcome::{ConclusionCause, FailureCause};
use super::record::Record;
use super::reply::{self, InterpretedReply, ReplyContext, ReplyMeaning, some_text};
use super::{ATTEMPTS, AgentRun, Purpose};

impl AgentRun {
    pub(super) fn replied(&mut self, purpose: Purpose, reply: &ModelReply, record: &mut Record) {
        self.count_call(purpose);
        self.usage += reply.usage;
        self.conversation.measured(reply.usage.input_tokens);
        let InterpretedReply { meaning, text, message } =
            reply::interpret(reply, self.reply_context(purpose), record);
        let Some(message) = message else { return self.replied_nothing(purpose, record) };
        self.failures.replied();
        self.last_text = text.or(self.last_text.take());
        self.say(record, message);
        match meaning {
            ReplyMeaning::Conclude(analysis) => self.conclude(analysis, conclusion_of(purpose), record),
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
            return self.replied_nothing(purpose, record);
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
        self.count_call(purpose);
        self.failures.failed(failure);
        self.continue_after(failure, purpose, record);
    }

    fn continue_after(&mut self, failure: &ModelFailure, purpose: Purpose, record: &mut Record) {
        if self.failures.too_many_timeouts() {
            let error = "two model calls in a row got no answer in time";
            return self.fail(FailureCause::Timeouts, error, record);
        }
        match failure.kind {
            ModelFailureKind::Credentials | ModelFailureKind::InvalidRequest => {
                self.fail_for(failure, "asking the model again cannot help", record);
            }
            ModelFailureKind::ContextTooLong => {
                self.fail_for(failure, "there is nothing left to leave out of the conversation", record);
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
            return self.fail_for(failure, "the model was asked often enough", record);
        }
        if self.setup.strategy.uses_tools() && purpose == Purpose::Iteration {
            let feedback = format!("The last call of the model failed: {failure}. Go on from where you are.");
            self.say(record, Message::user(feedback));
        }
        self.call_again(purpose, record);
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

    fn replied_nothing(&mut self, purpose: Purpose, record: &mut Record) {
        self.failures.replied_nothing();
        record.add(
            TimelineEventType::Error,
            "The model's reply was empty",
            json!({ "source": "model", "kind": ModelFailureKind::EmptyReply }),
        );
        if self.failures.too_many_empty_replies() || self.attempts_are_used_up(purpose) {
            let cause = FailureCause::Model(ModelFailureKind::EmptyReply);
            return self.fail(cause, "the model gave empty replies and was asked often enough", record);
        }
        let loops = purpose == Purpose::Iteration && self.setup.strategy.uses_tools();
        let wanted =
            if loops { "Take the next step, or give your final answer." } else { "Give your answer." };
        self.say(record, Message::user(format!("Your last reply was empty. {wanted}")));
        self.call_again(purpose, record);
    }

    fn fail_for(&mut self, failure: &ModelFailure, why: &str, record: &mut Record) {
        self.fail(FailureCause::Model(failure.kind), &format!("{why}: {failure}"), record);
    }

    fn reply_context(&self, purpose: Purpose) -> ReplyContext<'_> {
        ReplyContext {
            purpose,
            loop_kind: self.setup.strategy.loop_kind(),
            tools: &self.setup.tools,
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

    /// Returns whether the attempts for a required text are used up. Iterations of a loop have their own
    /// limit.
    fn attempts_are_used_up(&self, purpose: Purpose) -> bool {
        match (purpose, self.setup.strategy.loop_kind()) {
            (Purpose::ForcedConclusion, _) => self.conclusions >= ATTEMPTS,
            (Purpose::Iteration, LoopKind::SingleShot) => self.iterations >= ATTEMPTS,
            (Purpose::Iteration, LoopKind::React | LoopKind::FunctionCalling) => false,
        }
    }
}

fn conclusion_of(purpose: Purpose) -> ConclusionCause {
    match purpose {
        Purpose::Iteration => ConclusionCause::Reached,
        Purpose::ForcedConclusion => ConclusionCause::Forced,
    }
}
