//! A model call came to its end: with a reply, or without one.

use serde_json::json;
use tarsy_domain::{LoopKind, Message, ModelFailure, ModelFailureKind, ModelReply, TimelineEventType};

use super::outcome::{Conclusion, FailureCause};
use super::record::Record;
use super::turn::{self, Turn};
use super::{ATTEMPTS, AgentRun, Purpose};

const EMPTY_REPLY_FEEDBACK: &str =
    "Your last reply was empty. Go on from where you are: take the next step, or give your final answer.";

impl AgentRun {
    pub(super) fn replied(&mut self, purpose: Purpose, reply: &ModelReply, record: &mut Record) {
        self.count_call(purpose);
        self.usage += reply.usage;
        self.conversation.measured(reply.usage.input_tokens);
        let turn = turn::read(
            reply,
            purpose,
            self.setup.strategy.loop_kind(),
            &self.setup.tools,
            self.iterations,
            record,
        );
        if turn == Turn::AskAgain {
            return self.replied_nothing(purpose, record);
        }
        self.trouble.replied();
        self.last_words = words_of(reply).or(self.last_words.take());
        self.say(record, self.spoken(purpose, reply));
        match turn {
            Turn::Conclude(analysis) => self.conclude(analysis, conclusion_of(purpose), record),
            Turn::Act(_) | Turn::Correct { .. } if self.budget_is_spent() => self.stop_for_budget(record),
            Turn::Act(pending) => self.act(pending, record),
            Turn::Correct { problem, feedback } => {
                record.add(TimelineEventType::Error, &problem, json!({ "source": "format" }));
                self.say(record, Message::user(feedback));
                self.think_on(record);
            }
            Turn::AskAgain => {}
        }
    }

    pub(super) fn model_failed(&mut self, purpose: Purpose, failure: &ModelFailure, record: &mut Record) {
        self.count_call(purpose);
        self.usage += failure.usage;
        if failure.kind == ModelFailureKind::EmptyReply {
            return self.replied_nothing(purpose, record);
        }
        self.trouble.failed(failure);
        self.last_words = some_text(&failure.partial_text).or(self.last_words.take());
        record.add(
            TimelineEventType::Error,
            &failure.message,
            json!({ "source": "model", "kind": failure.kind, "partial_text": some_text(&failure.partial_text) }),
        );
        if self.trouble.too_many_timeouts() {
            return self.fail(FailureCause::Timeouts, "two calls in a row got no answer in time", record);
        }
        match failure.kind {
            ModelFailureKind::Credentials | ModelFailureKind::InvalidRequest => {
                self.fail_for(failure, "asking the model again cannot help", record);
            }
            ModelFailureKind::ContextTooLong => self.make_room(failure, purpose, record),
            ModelFailureKind::RateLimit
            | ModelFailureKind::Overloaded
            | ModelFailureKind::Timeout
            | ModelFailureKind::Network
            | ModelFailureKind::ContentFiltered
            | ModelFailureKind::EmptyReply
            | ModelFailureKind::Repetition
            | ModelFailureKind::ProviderBug => self.try_again(failure, purpose, record),
        }
    }

    fn try_again(&mut self, failure: &ModelFailure, purpose: Purpose, record: &mut Record) {
        if self.attempts_are_used_up(purpose) {
            return self.fail_for(failure, "the model was asked often enough", record);
        }
        if self.setup.strategy.uses_tools() && purpose == Purpose::Iteration {
            let feedback = format!("The last call of the model failed: {failure}. Go on from where you are.");
            self.say(record, Message::user(feedback));
        }
        self.think_again(purpose, record);
    }

    /// The provider found the conversation too long, whatever we had estimated.
    fn make_room(&mut self, failure: &ModelFailure, purpose: Purpose, record: &mut Record) {
        if self.conversation.shrink() && !self.attempts_are_used_up(purpose) {
            return self.think_again(purpose, record);
        }
        self.fail_for(failure, "there is nothing left to leave out of the conversation", record);
    }

    fn fail_for(&mut self, failure: &ModelFailure, why: &str, record: &mut Record) {
        self.fail(FailureCause::Model(failure.kind), &format!("{why}: {failure}"), record);
    }

    fn replied_nothing(&mut self, purpose: Purpose, record: &mut Record) {
        self.trouble.replied_nothing();
        record.add(
            TimelineEventType::Error,
            "The model's reply was empty",
            json!({ "source": "model", "kind": ModelFailureKind::EmptyReply }),
        );
        if self.trouble.too_many_empty_replies() {
            let cause = FailureCause::Model(ModelFailureKind::EmptyReply);
            return self.fail(cause, "the model gave an empty reply three times in a row", record);
        }
        self.say(record, Message::user(EMPTY_REPLY_FEEDBACK));
        self.think_again(purpose, record);
    }

    fn count_call(&mut self, purpose: Purpose) {
        match purpose {
            Purpose::Iteration => self.iterations += 1,
            Purpose::ForcedConclusion => self.conclusions += 1,
        }
    }

    /// A loop has its limit elsewhere: it goes on with other questions.
    fn attempts_are_used_up(&self, purpose: Purpose) -> bool {
        match (purpose, self.setup.strategy.loop_kind()) {
            (Purpose::ForcedConclusion, _) => self.conclusions >= ATTEMPTS,
            (Purpose::Iteration, LoopKind::SingleShot) => self.iterations >= ATTEMPTS,
            (Purpose::Iteration, LoopKind::React | LoopKind::FunctionCalling) => false,
        }
    }

    /// What the model said, as it joins the conversation. Calls that nobody makes do not: they would wait for results
    /// for ever, in the provider's own state too.
    fn spoken(&self, purpose: Purpose, reply: &ModelReply) -> Message {
        let spoken = Message::assistant(reply.text.clone());
        let makes_calls =
            purpose == Purpose::Iteration && self.setup.strategy.loop_kind() == LoopKind::FunctionCalling;
        if !makes_calls && !reply.tool_calls.is_empty() {
            return spoken;
        }
        Message {
            tool_calls: reply.tool_calls.clone(),
            provider_state: reply.provider_state.clone(),
            ..spoken
        }
    }
}

fn conclusion_of(purpose: Purpose) -> Conclusion {
    match purpose {
        Purpose::Iteration => Conclusion::Reached,
        Purpose::ForcedConclusion => Conclusion::Forced,
    }
}

/// What the model said or, where it said nothing aloud, what it thought.
fn words_of(reply: &ModelReply) -> Option<String> {
    some_text(&reply.text).or_else(|| some_text(&reply.thinking))
}

fn some_text(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}
