//! What the store promises, said as simply as possible: vectors and loops, no database.

use std::collections::BTreeMap;

use tarsy_domain::{
    Channel, EventType, ExecutionId, SearchQuery, SessionId, SessionStatus, TimelineEventId, Timestamp,
    TokenUsage, WorkStatus,
};
use tarsy_store::{
    CancelOutcome, ChatMessage, ClaimLimit, Happening, Lease, LeaseState, ListedSession, NewExecution,
    NewMessage, NewSession, NewTimelineEvent, RetentionPolicy, SearchHit, Session, SessionFilter,
    SessionOutcome, SessionSort, Step, StepReceipt, SubmitOutcome, Swept,
};

use crate::action::{Action, LEASE, Outcome};
use crate::plan::Known;

#[derive(Default)]
pub(crate) struct Model {
    records: Vec<Record>,
    /// Every session and lease that ever was, also of deleted sessions.
    submitted: Vec<SessionId>,
    leases: Vec<Lease>,
    all_sessions: Log,
}

/// A session with all that belongs to it.
struct Record {
    session: Session,
    claimable_at: Option<Timestamp>,
    fence: i64,
    stages: Vec<(String, WorkStatus, Option<Timestamp>, Option<Timestamp>)>,
    executions: Vec<Begun>,
    timeline: Vec<(u64, Option<u64>, NewTimelineEvent)>,
    pieces: Vec<(Option<TimelineEventId>, &'static str, String)>,
    log: Log,
    chat: Vec<ChatMessage>,
}

/// An execution, its conversation, and the number of its last timeline entry.
type Begun = (NewExecution, Vec<(u64, NewMessage)>, u64);

/// A channel: what was ever appended counts, what was swept is gone.
#[derive(Default)]
struct Log {
    last_id: u64,
    events: Vec<(u64, EventType, Timestamp)>,
}

impl Log {
    fn append(&mut self, event_type: EventType, at: Timestamp) {
        self.last_id += 1;
        self.events.push((self.last_id, event_type, at));
    }
}

impl Model {
    pub(crate) fn known(&self) -> Known {
        let executions = self.records.iter().flat_map(|record| {
            record.executions.iter().map(|(execution, ..)| (record.session.session_id, execution.clone()))
        });
        Known {
            sessions: self.submitted.clone(),
            leases: self.leases.clone(),
            executions: executions.collect(),
        }
    }

    /// Reads of everything there is, and of what should be gone.
    pub(crate) fn read_everything(&self) -> Vec<Action> {
        let mut actions = vec![
            Action::Counts,
            Action::List(SessionFilter::default(), 100),
            Action::Events(Channel::Sessions, 0),
        ];
        for id in &self.submitted {
            actions.push(Action::Events(Channel::Session(*id), 0));
            actions.extend([Action::Timeline(*id), Action::Stages(*id), Action::Chat(*id)]);
        }
        let executions = self.records.iter().flat_map(|record| &record.executions);
        actions.extend(executions.map(|(execution, ..)| Action::Messages(execution.clone())));
        actions
    }

    pub(crate) fn perform(&mut self, action: &Action, at: Timestamp) -> Outcome {
        match action {
            Action::Submit(session) => Outcome::Submitted(self.submit(session, at)),
            Action::Claim(limit) => Outcome::Claimed(self.claim(*limit, at)),
            Action::Renew(lease) => self.leased(*lease, |record| record.renew(at)),
            Action::Release(lease) => self.leased(*lease, |record| record.release(at)),
            Action::Begin(lease, execution) => self.leased(*lease, |record| record.begin(execution, at)),
            Action::Record(lease, step) => self.leased(*lease, |record| record.step(step, at)),
            Action::StageBegin(lease, index) => {
                self.leased(*lease, |record| record.stage(*index, WorkStatus::Active, at))
            }
            Action::StageFinish(lease, index, status) => self.stage_finish(*lease, *index, *status, at),
            Action::Finish(lease, outcome) => self.finish(*lease, outcome, at),
            Action::Cancel(id) => self.cancel(*id, at),
            Action::Delete(id) => Outcome::Deleted(self.delete(*id)),
            Action::Say(id, message) => self.say(*id, message),
            Action::Sweep(policy) => Outcome::Swept(self.sweep(*policy, at)),
            Action::List(filter, page_size) => Outcome::Pages(self.pages(filter, *page_size as usize)),
            Action::Counts => Outcome::Counts(self.counts()),
            Action::Events(channel, after) => Outcome::Events(self.events(*channel, *after)),
            Action::Timeline(id) => Outcome::Timeline(self.of(*id, |record| record.timeline.clone())),
            Action::Stages(id) => Outcome::Stages(self.of(*id, |record| record.stages.clone())),
            Action::Messages(execution) => Outcome::Messages(self.messages(execution.execution_id)),
            Action::Chat(id) => Outcome::Chat(self.of(*id, |record| record.chat.clone())),
        }
    }

    fn of<T: Default>(&self, id: SessionId, read: impl Fn(&Record) -> T) -> T {
        self.records.iter().find(|record| record.session.session_id == id).map(read).unwrap_or_default()
    }

    fn find(&mut self, id: SessionId) -> Option<&mut Record> {
        self.records.iter_mut().find(|record| record.session.session_id == id)
    }

    fn leased(&mut self, lease: Lease, change: impl FnOnce(&mut Record) -> Outcome) -> Outcome {
        match self.find(lease.session_id).filter(|record| record.fence == lease.fence) {
            Some(record) => change(record),
            None => Outcome::Refused("lease lost"),
        }
    }

    fn stage_finish(&mut self, lease: Lease, index: usize, status: WorkStatus, at: Timestamp) -> Outcome {
        // A status that ends nothing is refused whoever asks.
        if !status.is_terminal() && self.find(lease.session_id).is_some() {
            return Outcome::Refused("illegal move");
        }
        self.leased(lease, |record| record.stage(index, status, at))
    }

    fn submit(&mut self, new: &NewSession, at: Timestamp) -> SubmitOutcome {
        if let Some(existing) = self.records.iter().find(|record| record.session.alert_id == new.alert_id) {
            return SubmitOutcome::Existing(existing.session.session_id);
        }
        let mut record = Record::of(new, at);
        record.log.append(EventType::SessionStatus, at);
        self.all_sessions.append(EventType::SessionStatus, at);
        self.records.push(record);
        self.submitted.push(new.session_id);
        SubmitOutcome::Created(new.session_id)
    }

    fn claim(&mut self, limit: ClaimLimit, at: Timestamp) -> Option<Lease> {
        let running = self.records.iter().filter(|record| {
            record.session.status != SessionStatus::Pending
                && record.claimable_at.is_some_and(|until| until > at)
        });
        if matches!(limit, ClaimLimit::Sessions(most) if running.count() >= most as usize) {
            return None;
        }
        let claimable =
            self.records.iter_mut().filter(|record| record.claimable_at.is_some_and(|from| from <= at));
        let record = claimable
            .min_by_key(|record| (record.session.status == SessionStatus::Pending, record.claimable_at))?;
        record.fence += 1;
        record.claimable_at = Some(at.after(LEASE));
        record.session.worker = Some("w".to_owned());
        if record.session.status == SessionStatus::Pending {
            record.session.status = SessionStatus::InProgress;
            record.session.started_at = Some(at);
            record.log.append(EventType::SessionStatus, at);
            self.all_sessions.append(EventType::SessionStatus, at);
        }
        let lease = Lease { session_id: record.session.session_id, fence: record.fence };
        self.leases.push(lease);
        Some(lease)
    }

    fn finish(&mut self, lease: Lease, outcome: &SessionOutcome, at: Timestamp) -> Outcome {
        let done = self.leased(lease, |record| record.finish(outcome, at));
        if done == Outcome::Done {
            self.all_sessions.append(EventType::SessionStatus, at);
        }
        done
    }

    fn cancel(&mut self, id: SessionId, at: Timestamp) -> Outcome {
        let Some(record) = self.find(id) else { return Outcome::Refused("not found") };
        let outcome = match record.session.status {
            SessionStatus::Pending => {
                record.session.completed_at = Some(at);
                record.claimable_at = None;
                record.session.status = SessionStatus::Cancelled;
                CancelOutcome::Cancelled
            }
            SessionStatus::InProgress => {
                record.session.status = SessionStatus::Cancelling;
                CancelOutcome::Requested
            }
            SessionStatus::Cancelling => return Outcome::Cancelled(CancelOutcome::Requested),
            ended => return Outcome::Cancelled(CancelOutcome::AlreadyEnded(ended)),
        };
        record.session.cancel_requested_at = Some(at);
        record.session.cancel_requested_by = Some("me".to_owned());
        record.log.append(EventType::SessionStatus, at);
        self.all_sessions.append(EventType::SessionStatus, at);
        Outcome::Cancelled(outcome)
    }

    fn delete(&mut self, id: SessionId) -> bool {
        let before = self.records.len();
        self.records
            .retain(|record| record.session.session_id != id || record.session.completed_at.is_none());
        self.records.len() < before
    }

    fn say(&mut self, id: SessionId, message: &ChatMessage) -> Outcome {
        let Some(record) = self.find(id) else { return Outcome::Refused("not found") };
        record.chat.push(message.clone());
        record.log.append(EventType::ChatMessage, message.created_at);
        Outcome::Place(record.chat.len() as u64)
    }

    fn sweep(&mut self, policy: RetentionPolicy, at: Timestamp) -> Swept {
        let batch = policy.batch as usize;
        let too_old = at.before(policy.sessions);
        let ended = self.records.iter().filter_map(|r| Some((r.session.completed_at?, r.session.session_id)));
        let mut old: Vec<_> = ended.filter(|(completed_at, _)| *completed_at < too_old).collect();
        old.sort_unstable();
        old.truncate(batch);
        for (_, id) in &old {
            self.delete(*id);
        }
        Swept { sessions: old.len() as u64, events: self.sweep_events(at.before(policy.events), batch) }
    }

    fn sweep_events(&mut self, before: Timestamp, batch: usize) -> u64 {
        let records = self.records.iter_mut();
        let mut logs: Vec<(String, &mut Log)> =
            records.map(|r| (Channel::Session(r.session.session_id).to_string(), &mut r.log)).collect();
        logs.push((Channel::Sessions.to_string(), &mut self.all_sessions));
        let mut old: Vec<(Timestamp, String, u64)> = Vec::new();
        for (channel, log) in &logs {
            let events = log.events.iter().filter(|(_, _, created_at)| *created_at < before);
            old.extend(events.map(|(id, _, created_at)| (*created_at, channel.clone(), *id)));
        }
        old.sort_unstable();
        old.truncate(batch);
        for (name, log) in &mut logs {
            log.events
                .retain(|(id, _, _)| !old.iter().any(|(_, channel, gone)| channel == name && gone == id));
        }
        old.len() as u64
    }

    fn pages(&self, filter: &SessionFilter, page_size: usize) -> Vec<Vec<ListedSession>> {
        let mut listed: Vec<ListedSession> =
            self.records.iter().filter_map(|record| record.listed(filter)).collect();
        listed.sort_by_key(|listed| (listed.session.created_at, listed.session.session_id));
        if filter.sort == SessionSort::Newest {
            listed.reverse();
        }
        if listed.is_empty() {
            return vec![Vec::new()];
        }
        listed.chunks(page_size).map(<[ListedSession]>::to_vec).collect()
    }

    fn counts(&self) -> BTreeMap<SessionStatus, u64> {
        let mut counts = BTreeMap::new();
        for record in &self.records {
            *counts.entry(record.session.status).or_default() += 1;
        }
        counts
    }

    fn events(&self, channel: Channel, after: u64) -> Vec<(u64, EventType, Timestamp)> {
        let events = match channel {
            Channel::Sessions => self.all_sessions.events.clone(),
            Channel::Session(id) => self.of(id, |record| record.log.events.clone()),
        };
        events.into_iter().filter(|(id, _, _)| *id > after).collect()
    }

    fn messages(&self, id: ExecutionId) -> Vec<(u64, NewMessage)> {
        let mut executions = self.records.iter().flat_map(|record| &record.executions);
        executions
            .find(|(execution, ..)| execution.execution_id == id)
            .map(|(_, m, _)| m.clone())
            .unwrap_or_default()
    }
}

impl Record {
    fn of(new: &NewSession, at: Timestamp) -> Self {
        let stages = new.stages.iter().map(|name| (name.clone(), WorkStatus::Pending, None, None));
        Self {
            session: fresh(new, at),
            claimable_at: Some(at),
            fence: 0,
            stages: stages.collect(),
            executions: Vec::new(),
            timeline: Vec::new(),
            pieces: vec![(None, "alert", new.input.alert_data.clone())],
            log: Log::default(),
            chat: Vec::new(),
        }
    }

    fn renew(&mut self, at: Timestamp) -> Outcome {
        self.claimable_at = Some(at.after(LEASE));
        let cancelling = self.session.status == SessionStatus::Cancelling;
        Outcome::Lease(if cancelling { LeaseState::CancelRequested } else { LeaseState::Held })
    }

    fn release(&mut self, at: Timestamp) -> Outcome {
        self.claimable_at = Some(at);
        self.session.worker = None;
        self.fence += 1;
        Outcome::Done
    }

    fn begin(&mut self, execution: &NewExecution, at: Timestamp) -> Outcome {
        self.executions.push((execution.clone(), Vec::new(), 0));
        self.log.append(EventType::ExecutionStatus, at);
        Outcome::Done
    }

    fn stage(&mut self, index: usize, to: WorkStatus, at: Timestamp) -> Outcome {
        let (_, status, started_at, completed_at) = &mut self.stages[index];
        if !status.may_become(to) {
            return Outcome::Refused("illegal move");
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

    fn step(&mut self, step: &Step, at: Timestamp) -> Outcome {
        let execution = self.executions.iter_mut().find(|(e, ..)| e.execution_id == step.execution_id);
        let Some((_, messages, last_sequence)) = execution else { return Outcome::Refused("not found") };
        match &step.happening {
            Happening::Opened => {}
            Happening::Model(call) => {
                self.session.llm_interactions += 1;
                self.session.usage += call.usage;
                self.log.append(EventType::InteractionCreated, at);
            }
            Happening::Tool(_) => {
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
            self.pieces.push((Some(entry.timeline_event_id), "timeline", entry.content.clone()));
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

    fn finish(&mut self, outcome: &SessionOutcome, at: Timestamp) -> Outcome {
        self.fence += 1;
        self.claimable_at = None;
        self.session.status = outcome.status;
        self.session.completed_at = Some(at);
        self.session.current_step = None;
        self.session.final_analysis.clone_from(&outcome.final_analysis);
        self.session.error_message.clone_from(&outcome.error_message);
        self.pieces.extend(outcome.final_analysis.clone().map(|text| (None, "analysis", text)));
        self.log.append(EventType::SessionStatus, at);
        Outcome::Done
    }

    fn listed(&self, filter: &SessionFilter) -> Option<ListedSession> {
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

    fn hit(&self, query: &SearchQuery) -> Option<SearchHit> {
        let (id, source, text) = self.pieces.iter().rev().find(|(_, _, text)| query.matches(text))?;
        Some(SearchHit { timeline_event_id: *id, source, snippet: query.snippet(text) })
    }
}

fn fresh(new: &NewSession, at: Timestamp) -> Session {
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
