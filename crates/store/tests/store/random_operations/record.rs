//! A session of the model, with all its data and the changes to it.

use std::time::Duration;

use super::action::{LEASE, Outcome, opening};
use tarsy_domain::{
    EventType, SearchQuery, SearchSource, SessionStatus, TimelineEventId, Timestamp, TokenUsage, WorkStatus,
};
use tarsy_store::{
    AskOutcome, ChatMessage, Lease, LeaseState, ListedSession, NewExecution, NewMessage, NewSession,
    NewTimelineEvent, SearchHit, Session, SessionFilter, SessionOutcome, Step, StepPayload, StepReceipt,
};

/// A session with all its data.
pub(crate) struct Record {
    pub(crate) session: Session,
    pub(crate) claimable_at: Option<Timestamp>,
    pub(crate) fence: i64,
    pub(crate) stages: Vec<(String, WorkStatus, Option<Timestamp>, Option<Timestamp>)>,
    pub(crate) executions: Vec<Begun>,
    pub(crate) timeline: Vec<(u64, Option<u64>, NewTimelineEvent)>,
    pub(crate) pieces: Vec<(Option<TimelineEventId>, SearchSource, String)>,
    pub(crate) log: Log,
    pub(crate) chat: Vec<ChatMessage>,
}

/// An execution, its conversation, and the sequence number of its last timeline entry.
pub(crate) type Begun = (NewExecution, Vec<(u64, NewMessage)>, u64);

/// A channel. Deleted events still count for the ids of later ones.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) last_id: u64,
    pub(crate) events: Vec<(u64, EventType, Timestamp)>,
}

impl Log {
    pub(crate) fn append(&mut self, event_type: EventType, at: Timestamp) {
        self.last_id += 1;
        self.events.push((self.last_id, event_type, at));
    }
}

impl Record {
    pub(crate) fn of(new: &NewSession, at: Timestamp) -> Self {
        let stages = new.stages.iter().map(|name| (name.clone(), WorkStatus::Pending, None, None));
        Self {
            session: new_pending(new, at),
            claimable_at: Some(at),
            fence: 0,
            stages: stages.collect(),
            executions: Vec::new(),
            timeline: Vec::new(),
            pieces: vec![(None, SearchSource::Alert, new.input.alert_data.clone())],
            log: Log::default(),
            chat: Vec::new(),
        }
    }

    pub(crate) fn renew(&mut self, at: Timestamp) -> Option<(Lease, LeaseState)> {
        self.session.worker.as_ref()?;
        self.claimable_at = Some(self.claimable_at.map(|_| at.after(LEASE))?);
        let lease = Lease { session_id: self.session.session_id, fence: self.fence };
        let asked_at = self.chat.last().map(|question| question.created_at);
        let cancelling = match self.session.completed_at {
            None => self.session.status == SessionStatus::Cancelling,
            Some(_) => {
                self.session.cancel_requested_at.is_some_and(|at| asked_at.is_some_and(|asked| at >= asked))
            }
        };
        Some((lease, if cancelling { LeaseState::CancelRequested } else { LeaseState::Held }))
    }

    pub(crate) fn release(&mut self, at: Timestamp) -> Outcome {
        self.claimable_at = Some(at);
        self.session.worker = None;
        self.fence += 1;
        Outcome::Done
    }

    pub(crate) fn begin(&mut self, execution: &NewExecution, at: Timestamp) -> Outcome {
        let messages = (1..).zip(opening().messages).collect();
        self.executions.push((execution.clone(), messages, 0));
        self.session.current_step = Some(opening().current_step);
        self.log.append(EventType::ExecutionStatus, at);
        self.log.append(EventType::SessionProgress, at);
        Outcome::Done
    }

    pub(crate) fn stage(&mut self, index: usize, to: WorkStatus, at: Timestamp) -> Outcome {
        let (_, status, started_at, completed_at) = &mut self.stages[index];
        if !status.may_become(to) {
            return Outcome::Rejected("illegal transition");
        }
        *status = to;
        if to.is_terminal() {
            *completed_at = Some(at);
            self.session.stages_done += 1;
            let failed = !matches!(to, WorkStatus::Completed | WorkStatus::Skipped);
            self.session.stages_failed += u64::from(failed);
        } else {
            *started_at = Some(at);
        }
        self.log.append(EventType::StageStatus, at);
        Outcome::Done
    }

    pub(crate) fn step(&mut self, step: &Step, at: Timestamp) -> Outcome {
        let execution = self.executions.iter_mut().find(|(e, ..)| e.execution_id == step.execution_id);
        let Some((_, messages, last_sequence)) = execution else { return Outcome::Rejected("not found") };
        match &step.payload {
            StepPayload::Model(call) | StepPayload::Summary { call, .. } => {
                self.session.llm_interactions += 1;
                self.session.usage += call.usage;
                self.log.append(EventType::InteractionCreated, at);
            }
            StepPayload::Delivered { .. } => {}
            StepPayload::Tool(_) => {
                self.session.mcp_interactions += 1;
                self.log.append(EventType::InteractionCreated, at);
            }
        }
        for message in &step.messages {
            messages.push((messages.len() as u64 + 1, message.clone()));
        }
        for entry in &step.timeline {
            *last_sequence += 1;
            self.session.timeline_events += 1;
            self.timeline.push((self.session.timeline_events, Some(*last_sequence), entry.clone()));
            self.pieces.push((Some(entry.timeline_event_id), SearchSource::Timeline, entry.content.clone()));
            self.log.append(EventType::TimelineEventCompleted, at);
        }
        if step.current_step.is_some() {
            self.session.current_step.clone_from(&step.current_step);
            self.log.append(EventType::SessionProgress, at);
        }
        Outcome::Recorded(StepReceipt {
            last_message_sequence: messages.len() as u64,
            last_timeline_sequence: *last_sequence,
            last_timeline_position: self.session.timeline_events,
            last_event_id: self.log.last_id,
        })
    }

    pub(crate) fn ask(&mut self, question: &ChatMessage) -> AskOutcome {
        if !self.session.status.is_terminal() {
            return AskOutcome::NotEnded(self.session.status);
        }
        if self.claimable_at.is_some() {
            return AskOutcome::Unanswered;
        }
        self.claimable_at = Some(question.created_at);
        self.session.worker = None;
        AskOutcome::Asked(self.say(question))
    }

    pub(crate) fn answer(&mut self, answer: &ChatMessage) -> Outcome {
        self.fence += 1;
        self.claimable_at = None;
        self.session.current_step = None;
        Outcome::Position(self.say(answer))
    }

    fn say(&mut self, message: &ChatMessage) -> u64 {
        self.chat.push(message.clone());
        self.log.append(EventType::ChatMessage, message.created_at);
        self.chat.len() as u64
    }

    pub(crate) fn finish(&mut self, outcome: &SessionOutcome, at: Timestamp) -> Outcome {
        if self.session.status.is_terminal() {
            return Outcome::Rejected("lease lost");
        }
        self.fence += 1;
        self.claimable_at = None;
        self.session.status = outcome.status;
        self.session.completed_at = Some(at);
        self.session.current_step = None;
        self.session.final_analysis.clone_from(&outcome.final_analysis);
        self.session.error_message.clone_from(&outcome.error_message);
        self.pieces.extend(outcome.final_analysis.clone().map(|text| (None, SearchSource::Analysis, text)));
        self.log.append(EventType::SessionStatus, at);
        Outcome::Done
    }

    pub(crate) fn listed(&self, filter: &SessionFilter) -> Option<ListedSession> {
        let session = &self.session;
        let wanted = (filter.statuses.is_empty() || filter.statuses.contains(&session.status))
            && (filter.alert_types.is_empty() || filter.alert_types.contains(&session.alert_type));
        let hit = filter.search.as_ref().map(|query| self.hit(query));
        match hit {
            Some(None) => None,
            _ if !wanted => None,
            hit => Some(ListedSession { session: session.clone(), hit: hit.flatten() }),
        }
    }

    pub(crate) fn hit(&self, query: &SearchQuery) -> Option<SearchHit> {
        let (id, source, text) = self.pieces.iter().rev().find(|(_, _, text)| query.matches(text))?;
        Some(SearchHit { timeline_event_id: *id, source: *source, snippet: query.snippet(text) })
    }
}

fn new_pending(new: &NewSession, at: Timestamp) -> Session {
    Session {
        session_id: new.session_id,
        alert_id: new.alert_id.clone(),
        alert_type: new.alert_type.clone(),
        chain_id: new.chain_id.clone(),
        author: new.author.clone(),
        status: SessionStatus::Pending,
        created_at: at,
        started_at: None,
        completed_at: None,
        cancel_requested_at: None,
        cancel_requested_by: None,
        interrupted: Duration::ZERO,
        worker: None,
        current_step: None,
        error_message: None,
        executive_summary: None,
        final_analysis: None,
        stages_total: new.stages.len() as u64,
        stages_done: 0,
        stages_failed: 0,
        llm_interactions: 0,
        mcp_interactions: 0,
        timeline_events: 0,
        usage: TokenUsage::default(),
    }
}
