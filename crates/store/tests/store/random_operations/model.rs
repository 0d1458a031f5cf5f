//! The contract of the store, implemented as simply as possible: vectors and loops, no database.

use std::collections::BTreeMap;
use std::time::Duration;

use super::action::{Action, LEASE, Outcome};
use super::plan::Known;
use super::record::{Log, Record};
use tarsy_domain::{Channel, EventType, ExecutionId, SessionId, SessionStatus, Timestamp, WorkStatus};
use tarsy_store::{
    CancelOutcome, ChatMessage, ClaimLimit, Lease, LeaseState, ListedSession, NewMessage, NewSession,
    RetentionPolicy, SessionFilter, SessionOutcome, SessionSort, SubmitOutcome, SweepResult,
};

#[derive(Default)]
pub(crate) struct Model {
    records: Vec<Record>,
    /// Every session and lease that ever existed, including those of deleted sessions.
    submitted: Vec<SessionId>,
    leases: Vec<Lease>,
    all_sessions: Log,
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

    /// Returns reads of everything that exists, and of everything that was deleted.
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
            Action::Renew => Outcome::Renewed(self.renew(at)),
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
            Action::Ask(id, message) => self.ask(*id, &ChatMessage { created_at: at, ..message.clone() }),
            Action::Answer(lease, message) => {
                let answer = ChatMessage { created_at: at, ..message.clone() };
                self.leased(*lease, |record| record.answer(&answer))
            }
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
            None => Outcome::Rejected("lease lost"),
        }
    }

    /// All claims belong to one worker.
    fn renew(&mut self, at: Timestamp) -> Vec<(Lease, LeaseState)> {
        let mut leases: Vec<_> = self.records.iter_mut().filter_map(|record| record.renew(at)).collect();
        leases.sort_by_key(|(lease, _)| lease.session_id);
        leases
    }

    fn stage_finish(&mut self, lease: Lease, index: usize, status: WorkStatus, at: Timestamp) -> Outcome {
        // A status that is not terminal is rejected for every lease.
        if !status.is_terminal() && self.find(lease.session_id).is_some() {
            return Outcome::Rejected("illegal transition");
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
        let is_open = matches!(record.session.status, SessionStatus::InProgress | SessionStatus::Cancelling);
        if let Some(since) = record.claimable_at.filter(|_| is_open) {
            let micros = u64::try_from(at.as_micros() - since.as_micros()).unwrap();
            record.session.interrupted += Duration::from_micros(micros);
        }
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
        let Some(record) = self.find(id) else { return Outcome::Rejected("not found") };
        let outcome = match record.session.status {
            SessionStatus::Pending => {
                record.session.completed_at = Some(at);
                record.claimable_at = None;
                record.session.status = SessionStatus::Cancelled;
                record.session.stages_done = record.session.stages_total;
                record.session.stages_failed = record.session.stages_total;
                for (_, status, _, completed_at) in &mut record.stages {
                    (*status, *completed_at) = (WorkStatus::Cancelled, Some(at));
                }
                CancelOutcome::Cancelled
            }
            SessionStatus::InProgress => {
                record.session.status = SessionStatus::Cancelling;
                CancelOutcome::Requested
            }
            _ if record.session.completed_at.is_some() && record.claimable_at.is_some() => {
                record.session.cancel_requested_at = Some(at);
                record.session.cancel_requested_by = Some("me".to_owned());
                return Outcome::Cancelled(CancelOutcome::Requested);
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

    fn ask(&mut self, id: SessionId, message: &ChatMessage) -> Outcome {
        let Some(record) = self.find(id) else { return Outcome::Rejected("not found") };
        Outcome::Asked(record.ask(message))
    }

    fn sweep(&mut self, policy: RetentionPolicy, at: Timestamp) -> SweepResult {
        let batch = policy.batch as usize;
        let too_old = at.before(policy.sessions);
        let ended = self.records.iter().filter_map(|r| Some((r.session.completed_at?, r.session.session_id)));
        let mut old: Vec<_> = ended.filter(|(completed_at, _)| *completed_at < too_old).collect();
        old.sort_unstable();
        old.truncate(batch);
        for (_, id) in &old {
            self.delete(*id);
        }
        SweepResult { sessions: old.len() as u64, events: self.sweep_events(at.before(policy.events), batch) }
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
            log.events.retain(|(id, _, _)| {
                !old.iter().any(|(_, channel, deleted)| channel == name && deleted == id)
            });
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
