//! Handles the reply to a model call.
//!
//! An empty reply is followed by a message to the model: the same request would often get the same empty
//! reply.

use serde_json::json;
use tarsy_domain::{LoopKind, Message, ModelFailureKind, ModelReply, TimelineEventType};

use super::cut_off::{UnfinishedConclusion, without_incomplete_parts};
use super::outcome::FailureCause;
use super::record::Record;
use super::reply::{self, InterpretedReply, ReplyContext, ReplyMeaning};
use super::{ATTEMPTS, AgentRun, Purpose};

/// Why a reply has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EmptyReplyCause {
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
            let loops = purpose == Purpose::Iteration;
            let loop_kind = loops.then(|| self.setup.strategy.loop_kind());
            interpreted = without_incomplete_parts(interpreted, reply, loop_kind);
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
                self.correct(purpose, &problem, feedback, reply, record);
            }
            ReplyMeaning::Empty => {}
        }
    }

    /// Sends feedback about an invalid reply to the model, unless its attempts to conclude are used up.
    fn correct(
        &mut self,
        purpose: Purpose,
        problem: &str,
        feedback: String,
        reply: &ModelReply,
        record: &mut Record,
    ) {
        if self.attempts_are_used_up(purpose) {
            let error = format!("the iterations are used up, and the model did not conclude: {problem}");
            return self.fail(FailureCause::IterationLimit, &error, record);
        }
        self.say(record, Message::user(feedback));
        let loops = self.setup.strategy.loop_kind() != LoopKind::SingleShot;
        if purpose == Purpose::Iteration && loops {
            let news = self.repeated_calls.count_unusable(&reply.text);
            return self.next_turn(news, record);
        }
        self.call_again(purpose, record);
    }

    pub(super) fn replied_nothing(&mut self, purpose: Purpose, cause: EmptyReplyCause, record: &mut Record) {
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

    pub(super) fn reply_context(&self, purpose: Purpose) -> ReplyContext<'_> {
        ReplyContext {
            purpose,
            loop_kind: self.setup.strategy.loop_kind(),
            tools: self.tools.known(),
            iteration: self.iterations,
        }
    }

    pub(super) fn count_call(&mut self, purpose: Purpose) {
        self.calls += 1;
        match purpose {
            Purpose::Iteration => self.iterations += 1,
            Purpose::ForcedConclusion => self.conclusions += 1,
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
