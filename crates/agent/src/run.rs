//! The run of an agent: a pure state machine over the steps of its journal.
//!
//! ```text
//!          next()  ─▶  Ask::Model | Ask::Tools | Ask::Done
//!          apply(happened)  ─▶  Record: messages and timeline entries to persist
//! ```
//!
//! A driver calls `next`, does what it requests, persists what happened, and applies it. A run that is
//! rebuilt from its journal equals the original. The run does no I/O, reads no clock and never waits: it
//! returns the length of a pause, and the driver waits.

use std::collections::VecDeque;
use std::sync::Arc;

use tarsy_domain::{Message, TokenUsage};

pub use ask::{Ask, ModelAsk, Purpose};
pub use happened::{Happened, Unexpected};
pub use outcome::{ConclusionCause, FailureCause, RunOutcome};
pub use record::{Record, TimelineEntry};
pub use setup::{AtLimit, Limits, RunRules, Setup};
pub use tool_metadata::ToolMetadata;

use conversation::Conversation;
use cut_off::UnfinishedConclusion;
use failures::FailureStreak;
use offered_tools::OfferedTools;
use repetition::{RepeatedCalls, TurnNews};
use reply::PendingCall;

mod setup;

mod ask;
mod happened;
mod outcome;
mod record;
mod tool_metadata;
mod vendor_tools;

mod conversation;
mod failures;
mod offered_tools;
mod repetition;
mod reply;
mod seam;
mod size;
mod written_call;

mod acting;
mod cut_off;
mod ending;
mod failing;
mod first_call;
mod resume;
mod thinking;

/// Prefix of a tool result in a conversation without a tool role.
const OBSERVATION: &str = "Observation: ";
/// Maximum number of calls for a required text: the reply of a single shot, or a forced conclusion.
const ATTEMPTS: u32 = 3;

/// The state of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRun {
    setup: Arc<Setup>,
    tools: OfferedTools,
    conversation: Conversation,
    phase: Phase,
    /// Number of model calls.
    calls: u32,
    /// Number of model calls that failed.
    failed_calls: u32,
    /// Number of model calls that count towards the iteration limit.
    iterations: u32,
    /// Number of calls for a forced conclusion.
    conclusions: u32,
    /// Number of tool results that were applied.
    tool_results: u32,
    usage: TokenUsage,
    failures: FailureStreak,
    repeated_calls: RepeatedCalls,
    /// Whether the agent was asked to call a tool before it concludes.
    tool_call_requested: bool,
    /// A conclusion that was cut off and whose rest was requested.
    unfinished: Option<UnfinishedConclusion>,
    /// Text of the last reply as received, or its reasoning if the text is blank.
    last_reply: Option<String>,
    /// The last text of the model.
    last_text: Option<String>,
}

/// What the run waits for.
#[derive(Debug, Clone, PartialEq)]
enum Phase {
    Thinking(Purpose),
    Acting(Acting),
    Done(RunOutcome),
}

/// The tool calls of a turn that have no result yet.
#[derive(Debug, Clone, PartialEq)]
struct Acting {
    /// Never empty; the first entry is a call that is executed.
    pending: VecDeque<PendingCall>,
    /// Whether every finished call of the turn timed out.
    only_timeouts: bool,
    /// What the finished calls of the turn brought.
    news: TurnNews,
}

impl AgentRun {
    /// Creates a run at its start.
    pub fn new(setup: Setup) -> Self {
        let tools = OfferedTools::new(&setup);
        let mut run = Self {
            conversation: Conversation::new(tools.bound()),
            tools,
            phase: Phase::Thinking(Purpose::Iteration),
            calls: 0,
            failed_calls: 0,
            iterations: 0,
            conclusions: 0,
            tool_results: 0,
            usage: TokenUsage::default(),
            failures: FailureStreak::default(),
            repeated_calls: RepeatedCalls::default(),
            tool_call_requested: false,
            unfinished: None,
            last_reply: None,
            last_text: None,
            setup: Arc::new(setup),
        };
        for message in &run.opening().messages {
            run.conversation.say(Arc::clone(message));
        }
        if run.budget_is_spent() {
            run.phase = Phase::Done(ending::without_budget());
        }
        run
    }

    /// Rebuilds a run from its journal.
    ///
    /// Fails if an entry is not what the run waits for at that point.
    pub fn rebuild<'a>(
        setup: Setup,
        journal: impl IntoIterator<Item = &'a Happened>,
    ) -> Result<Self, Unexpected> {
        let mut run = Self::new(setup);
        for happened in journal {
            run.apply(happened)?;
        }
        Ok(run)
    }

    /// Returns the opening messages, to be persisted before the first step.
    pub fn opening(&self) -> Record {
        let messages = self.setup.opening.iter().map(|message| Arc::new(message.clone()));
        Record { messages: messages.collect(), timeline: Vec::new() }
    }

    /// Returns what the run needs next.
    pub fn next(&self) -> Ask {
        match &self.phase {
            Phase::Thinking(purpose) => Ask::Model(self.model_ask(*purpose)),
            Phase::Acting(acting) => Ask::Tools(
                acting.pending.iter().filter_map(|pending| pending.call.as_ref().ok()).cloned().collect(),
            ),
            Phase::Done(outcome) => Ask::Done(outcome.clone()),
        }
    }

    /// Applies a journal entry; returns what must be persisted with it.
    ///
    /// Fails and leaves the run unchanged if the run does not wait for this entry.
    pub fn apply(&mut self, happened: &Happened) -> Result<Record, Unexpected> {
        let mut record = Record::default();
        match (happened, &mut self.phase) {
            (Happened::Replied(reply), Phase::Thinking(purpose)) => {
                let purpose = *purpose;
                let texts = [&reply.text, &reply.thinking];
                self.last_reply = texts.into_iter().find(|text| !text.trim().is_empty()).cloned();
                self.replied(purpose, reply, &mut record);
            }
            (Happened::ModelFailed(failure), Phase::Thinking(purpose)) => {
                let purpose = *purpose;
                self.model_failed(purpose, failure, &mut record);
            }
            (Happened::ToolReturned(result), Phase::Acting(acting)) if acting.awaits(&result.call_id) => {
                self.tool_results += 1;
                self.tool_returned(result, &mut record);
            }
            _ => return Err(Unexpected { came: happened.describe(), awaited: self.awaited() }),
        }
        Ok(record)
    }

    /// Returns the number of model calls that were applied, failed ones included.
    pub fn model_calls(&self) -> u32 {
        self.calls
    }

    /// Returns the number of tool results that were applied. Rejected calls are not counted.
    pub fn tool_results(&self) -> u32 {
        self.tool_results
    }

    /// Returns the text of the last reply as received, or its reasoning if the text is blank.
    pub fn last_reply(&self) -> Option<&str> {
        self.last_reply.as_deref()
    }

    /// Returns the conversation as it is recorded: every message in full, opening included.
    pub fn recorded_messages(&self) -> &[Arc<Message>] {
        self.conversation.recorded()
    }

    /// Returns the tokens used so far.
    pub fn usage(&self) -> TokenUsage {
        self.usage
    }

    /// Returns the last text of the model, if there is one.
    pub fn last_text(&self) -> Option<&str> {
        self.last_text.as_deref()
    }

    /// Returns a description of the current step, for people.
    pub fn current_step(&self) -> String {
        match &self.phase {
            Phase::Thinking(Purpose::Iteration) if self.setup.strategy.uses_tools() => {
                format!("Thinking, iteration {} of {}", self.iterations + 1, self.setup.limits.max_iterations)
            }
            Phase::Thinking(Purpose::Iteration) => "Thinking".to_owned(),
            Phase::Thinking(Purpose::ForcedConclusion) => "Concluding".to_owned(),
            Phase::Acting(acting) => format!("Calling {}", acting.names().join(", ")),
            Phase::Done(_) => "Done".to_owned(),
        }
    }

    fn model_ask(&self, purpose: Purpose) -> ModelAsk {
        ModelAsk {
            purpose,
            call: self.calls + 1,
            iteration: self.iterations + self.conclusions + 1,
            messages: self.conversation.messages().to_vec(),
            tools: match purpose {
                Purpose::Iteration => Arc::clone(self.tools.bound()),
                Purpose::ForcedConclusion => Arc::new([]),
            },
            pause: self.failures.pause(),
        }
    }

    fn awaited(&self) -> String {
        match &self.phase {
            Phase::Thinking(_) => "a model's reply".to_owned(),
            Phase::Acting(acting) => format!("the result of tool call `{}`", acting.first_id()),
            Phase::Done(_) => "nothing: it was done".to_owned(),
        }
    }

    /// Adds a message to the conversation and to the record.
    fn say(&mut self, record: &mut Record, message: Message) {
        let message = Arc::new(message);
        self.conversation.say(Arc::clone(&message));
        record.messages.push(message);
    }
}
