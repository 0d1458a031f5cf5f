//! Drives one agent: asks the pure run what it wants, does it, writes down what happened, tells the run.
//!
//! Nothing is acted on before it is written down, so a process may die between any two lines of this file.

use std::collections::HashMap;
use std::sync::Arc;

use tarsy_agent::{AgentRun, Ask, Happened, Outcome, Record, Setup, TimelineEntry};
use tarsy_config::ResolvedAgent;
use tarsy_domain::{
    ExecutionId, InteractionId, Message, MessageId, StageId, TimelineEventId, Timestamp, ToolResult,
};
use tarsy_llm::{Model, Tags};
use tarsy_store::{Happening, Journal, JournalEntry, LivePlace, NewMessage, NewTimelineEvent, Step};
use tokio::time::Instant;

use crate::execution::agent_tools::AgentTools;
use crate::execution::started_calls::StartedCalls;
use crate::stop::Stop;
use crate::stop::halt::Halt;
use crate::work::Work;

mod made_call;
mod model;
mod telling;
mod tools;

/// An agent at work.
pub(crate) struct Driver<'a> {
    hands: Hands<'a>,
    story: Story,
}

/// What the driver reaches into the world with.
pub(crate) struct Hands<'a> {
    pub(crate) work: &'a Work,
    pub(crate) agent: &'a ResolvedAgent,
    pub(crate) execution_id: ExecutionId,
    pub(crate) stage_id: Option<StageId>,
    /// The name of the stage, for recordings.
    pub(crate) stage_name: &'a str,
    /// The question that is answered, for recordings.
    pub(crate) question: Option<&'a str>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: &'a AgentTools,
    pub(crate) stop: Stop,
}

/// What has happened so far.
struct Story {
    run: AgentRun,
    /// The conversation as it is recorded, in full.
    recorded: Vec<Arc<Message>>,
    /// Model calls so far.
    calls: u32,
    /// What the model said last, which is why it calls its tools.
    last_words: Option<String>,
    /// Tool calls that are recorded; agents call results by their number.
    tool_runs: u32,
    /// Results that are recorded, of which the run has not been told yet.
    untold: HashMap<String, Untold>,
    /// Tool calls that were begun before an interruption.
    started: Option<StartedCalls>,
    /// When the iteration has used up its time.
    deadline: Instant,
}

/// A recorded result of which the run has not been told yet.
#[derive(Clone)]
struct Untold {
    interaction_id: InteractionId,
    number: u32,
    text: String,
}

impl<'a> Driver<'a> {
    /// An agent at its beginning.
    pub(crate) fn new(hands: Hands<'a>, setup: Setup) -> Self {
        Self { hands, story: Story::new(setup) }
    }

    /// An agent as it was when it was interrupted.
    pub(crate) fn resume(hands: Hands<'a>, journal: &Journal) -> Result<Self, Halt> {
        let mut story = Story::resume(journal)?;
        // How much of its time the iteration had used is not known; it has all of it again.
        story.deadline = Instant::now() + hands.agent.iteration_timeout.duration();
        Ok(Self { hands, story })
    }

    /// Works until the agent is done. Whatever keeps it from that, what it said last is worth keeping.
    pub(crate) async fn run(mut self) -> Result<Outcome, Interrupted> {
        loop {
            let done = match self.story.run.next() {
                Ask::Model(ask) => self.ask_model(ask).await,
                Ask::Tools(calls) => self.run_tools(&calls).await,
                Ask::Done(outcome) => return Ok(outcome),
            };
            if let Err(halt) = done {
                return Err(Interrupted { halt, last_words: self.story.last_words_of_the_run() });
            }
        }
    }
}

/// An agent that did not come to its end.
pub(crate) struct Interrupted {
    pub(crate) halt: Halt,
    /// What it said last.
    pub(crate) last_words: Option<String>,
}

impl From<Halt> for Interrupted {
    fn from(halt: Halt) -> Self {
        Self { halt, last_words: None }
    }
}

/// What an agent said last, as far as its journal can be read.
pub(crate) fn last_words(journal: &Journal) -> Option<String> {
    Story::resume(journal).ok()?.last_words_of_the_run()
}

impl Hands<'_> {
    fn tags(&self, agent: &str, turn: u32) -> Tags {
        Tags {
            session_id: self.work.session.session_id.to_string(),
            execution_id: self.execution_id.to_string(),
            stage: self.stage_name.to_owned(),
            agent: agent.to_owned(),
            turn,
            question: self.question.map(str::to_owned),
        }
    }

    fn live_place(&self, interaction_id: InteractionId) -> LivePlace {
        LivePlace {
            session_id: self.work.session.session_id,
            stage_id: self.stage_id,
            execution_id: self.execution_id,
            interaction_id,
        }
    }

    /// Writes down what happened and what follows from it.
    async fn record(&self, happening: Happening, record: Record, now: String) -> Result<(), Halt> {
        let at = Timestamp::now();
        let (seen, masked_values) = self.work.masked_values();
        let step = Step {
            execution_id: self.execution_id,
            happening,
            messages: record.messages.iter().map(|message| new_message(message)).collect(),
            timeline: record.timeline.into_iter().map(|entry| self.entry(entry, at)).collect(),
            current_step: Some(format!("{}: {now}", self.agent.name)),
            masked_values,
        };
        self.work.recorder.step(step).await?;
        self.work.masked_values_are_recorded(seen);
        Ok(())
    }

    fn entry(&self, entry: TimelineEntry, at: Timestamp) -> NewTimelineEvent {
        NewTimelineEvent {
            timeline_event_id: TimelineEventId::new(),
            stage_id: self.stage_id,
            event_type: entry.event_type,
            content: entry.content,
            metadata: serde_json::Value::Object(entry.metadata).to_string(),
            created_at: at,
        }
    }
}

impl Story {
    fn new(setup: Setup) -> Self {
        let run = AgentRun::new(setup);
        Self {
            recorded: run.opening().messages,
            run,
            calls: 0,
            last_words: None,
            tool_runs: 0,
            untold: HashMap::new(),
            started: None,
            deadline: Instant::now(),
        }
    }

    /// Lives through what is recorded.
    fn resume(journal: &Journal) -> Result<Self, Halt> {
        let setup = serde_json::from_str(&journal.setup).map_err(|error| unreadable(&error))?;
        let mut story = Self::new(setup);
        story.started = StartedCalls::parse(journal.started_calls.as_deref());
        for entry in &journal.entries {
            match entry {
                JournalEntry::Model { response, failed: false } => {
                    story.apply(&Happened::Replied(
                        serde_json::from_str(response).map_err(|error| unreadable(&error))?,
                    ))?;
                }
                JournalEntry::Model { response, failed: true } => {
                    story.apply(&Happened::ModelFailed(
                        serde_json::from_str(response).map_err(|error| unreadable(&error))?,
                    ))?;
                }
                JournalEntry::Tool { told: Some(told), .. } => {
                    story.tool_runs += 1;
                    let result: ToolResult =
                        serde_json::from_str(told).map_err(|error| unreadable(&error))?;
                    story.apply(&Happened::ToolReturned(result))?;
                }
                JournalEntry::Tool { interaction_id, tool_call_id, told: None, result } => {
                    story.tool_runs += 1;
                    let untold = Untold {
                        interaction_id: *interaction_id,
                        number: story.tool_runs,
                        text: result.clone().unwrap_or_default(),
                    };
                    story.untold.insert(tool_call_id.clone(), untold);
                }
            }
        }
        Ok(story)
    }

    fn last_words_of_the_run(&self) -> Option<String> {
        self.run.last_words().map(str::to_owned)
    }

    /// Tells the run what happened; answers what is to be written down.
    fn apply(&mut self, happened: &Happened) -> Result<Record, Halt> {
        let record = self.run.apply(happened).map_err(|unexpected| Halt::Broken(unexpected.to_string()))?;
        self.recorded.extend(record.messages.iter().cloned());
        match happened {
            Happened::Replied(reply) => {
                self.calls += 1;
                let words = [&reply.text, &reply.thinking].into_iter().find(|words| !words.trim().is_empty());
                self.last_words = words.cloned();
            }
            Happened::ModelFailed(_) => self.calls += 1,
            Happened::ToolReturned(_) => {}
        }
        Ok(record)
    }
}

fn new_message(message: &Message) -> NewMessage {
    NewMessage { message_id: MessageId::new(), message: message.clone() }
}

fn unreadable(error: &serde_json::Error) -> Halt {
    Halt::Broken(format!("a step of the journal cannot be read: {error}"))
}
