//! The exchange of live state between the processes that share a PostgreSQL database.
//!
//! A process announces which sessions its subscribers follow; the others send it updates about those only,
//! every tenth of a second, outside of any transaction. Delivery need not be reliable: a process that missed
//! a piece requests the whole text again, and a text without updates is dropped after a while. On SQLite
//! there are no other processes, and no state is kept.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tarsy_domain::{InteractionId, SessionId};
use uuid::Uuid;

use super::LiveHub;
use super::live_session::{LiveSession, PieceOutcome, RemotePiece, TextKey, TextPosition, TextState};
use super::relay_message::{RelayMessage, decode, encode, pieces};

/// How often a process repeats its subscriptions and confirms its texts.
const REFRESH_INTERVAL: Duration = Duration::from_secs(5);
/// A subscription or a text of another process expires after this time without a message.
const EXPIRY: Duration = Duration::from_secs(20);

/// The state of the exchange.
pub(super) struct Relay {
    /// Identifies this process in its messages.
    process: Uuid,
    /// The lock is held while messages are collected, never across an await.
    state: Mutex<RelayState>,
}

#[derive(Default)]
struct RelayState {
    /// Sessions with subscribers in this process.
    local: HashMap<SessionId, LocalInterest>,
    /// Number of subscribers to all sessions in this process.
    local_all: usize,
    /// Sessions with subscribers in other processes.
    remote: HashMap<SessionId, RemoteInterest>,
    /// Until when another process has a subscriber to all sessions.
    remote_all_until: Option<Instant>,
    changed: BTreeSet<SessionId>,
    any_changed: bool,
    ended: Vec<(SessionId, InteractionId)>,
    refreshed_at: Option<Instant>,
}

#[derive(Default)]
struct LocalInterest {
    subscribers: usize,
    /// Whether texts have to be requested from their beginning.
    from_start: bool,
}

struct RemoteInterest {
    until: Instant,
    sent: HashMap<TextKey, TextPosition>,
}

impl Default for Relay {
    fn default() -> Self {
        Self { process: Uuid::now_v7(), state: Mutex::default() }
    }
}

impl Relay {
    pub(super) fn subscribed(&self, session_id: SessionId) {
        let mut state = self.state();
        let local = state.local.entry(session_id).or_default();
        local.subscribers += 1;
        local.from_start = true;
    }

    pub(super) fn unsubscribed(&self, session_id: SessionId) {
        let mut state = self.state();
        if let Some(local) = state.local.get_mut(&session_id) {
            local.subscribers -= 1;
            if local.subscribers == 0 {
                state.local.remove(&session_id);
            }
        }
    }

    pub(super) fn subscribed_to_all(&self) {
        let mut state = self.state();
        state.local_all += 1;
        state.refreshed_at = None;
    }

    pub(super) fn unsubscribed_from_all(&self) {
        self.state().local_all -= 1;
    }

    pub(super) fn changed(&self, session_id: SessionId) {
        let mut state = self.state();
        if state.remote_all_until.is_some() || state.remote.contains_key(&session_id) {
            state.changed.insert(session_id);
        }
    }

    pub(super) fn ended(&self, session_id: SessionId, interaction_id: InteractionId) {
        let mut state = self.state();
        if let Some(interest) = state.remote.get_mut(&session_id) {
            interest.sent.retain(|key, _| key.interaction_id != interaction_id);
            state.ended.push((session_id, interaction_id));
        }
    }

    /// Requests everything again, because messages may have been missed.
    fn start_over(&self) {
        let mut state = self.state();
        state.local.values_mut().for_each(|local| local.from_start = true);
        state.refreshed_at = None;
    }

    fn state(&self) -> MutexGuard<'_, RelayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveHub {
    /// Returns the notifications to send now. Changes of the record precede texts and their ends, because a
    /// text ends after it is recorded.
    pub(crate) fn relay_payloads(&self, now: Instant) -> Vec<String> {
        let mut state = self.0.relay.state();
        state.expire(now);
        let refresh = state.refreshed_at.is_none_or(|at| now.duration_since(at) >= REFRESH_INTERVAL);
        if refresh {
            state.refreshed_at = Some(now);
        }
        let mut messages = state.subscriptions(refresh);
        let changed = std::mem::take(&mut state.changed).into_iter();
        messages.extend(changed.map(|session_id| RelayMessage::Changed { session_id }));
        messages.extend(std::mem::take(&mut state.any_changed).then_some(RelayMessage::AnyChanged));
        let ended = std::mem::take(&mut state.ended).into_iter();
        messages.extend(
            ended.map(|(session_id, interaction_id)| RelayMessage::Ended { session_id, interaction_id }),
        );
        let sessions = self.sessions();
        for (session_id, interest) in &mut state.remote {
            if let Some(session) = sessions.get(session_id) {
                messages.extend(interest.texts(session, refresh));
            }
        }
        encode(self.0.relay.process, messages)
    }

    /// Applies a notification of another process.
    pub(crate) fn receive(&self, payload: &str, now: Instant) {
        for message in decode(self.0.relay.process, payload) {
            match message {
                RelayMessage::Subscribed { session_id, from_start } => {
                    self.0.relay.state().remote_subscribed(session_id, from_start, now);
                }
                RelayMessage::SubscribedToAll => self.0.relay.state().remote_subscribed_to_all(now),
                RelayMessage::AnyChanged => self.0.changes.invalidate(),
                RelayMessage::Changed { session_id } => self.changed_elsewhere(session_id),
                RelayMessage::Text { scope, part, round, offset, text } => {
                    let key = TextKey { interaction_id: scope.interaction_id, part };
                    self.apply(RemotePiece { scope, key, round, offset, text, at: now });
                }
                RelayMessage::Ended { session_id, interaction_id } => {
                    if let Some(session) = self.sessions().get(&session_id) {
                        session
                            .change(|texts| texts.retain(|text| text.key.interaction_id != interaction_id));
                    }
                }
            }
        }
    }

    /// Resumes after a pause in which messages may have been missed.
    pub(crate) fn start_over(&self) {
        self.0.relay.start_over();
        self.sessions().values().for_each(|session| session.record_changed());
        self.0.changes.invalidate();
    }

    fn apply(&self, piece: RemotePiece) {
        let session_id = piece.scope.session_id;
        let Some(outcome) = self.sessions().get(&session_id).map(|session| session.apply(piece)) else {
            return;
        };
        if outcome == PieceOutcome::Gap
            && let Some(local) = self.0.relay.state().local.get_mut(&session_id)
        {
            local.from_start = true;
        }
    }

    /// Drops texts of processes that no longer send messages.
    pub(crate) fn drop_silent(&self, now: Instant) {
        self.sessions().values().for_each(|session| session.drop_silent(now, EXPIRY));
    }
}

impl RelayState {
    fn expire(&mut self, now: Instant) {
        self.remote.retain(|_, interest| interest.until > now);
        self.remote_all_until = self.remote_all_until.filter(|until| *until > now);
    }

    /// Returns the subscriptions of this process that have to be announced now.
    fn subscriptions(&mut self, refresh: bool) -> Vec<RelayMessage> {
        let due = self.local.iter_mut().filter(|(_, local)| local.from_start || refresh);
        let sessions = due.map(|(session_id, local)| RelayMessage::Subscribed {
            session_id: *session_id,
            from_start: std::mem::take(&mut local.from_start),
        });
        let mut messages: Vec<RelayMessage> = sessions.collect();
        if refresh && self.local_all > 0 {
            messages.push(RelayMessage::SubscribedToAll);
        }
        messages
    }

    fn remote_subscribed_to_all(&mut self, now: Instant) {
        // Sessions may have changed after the subscriber read them and before this message arrived.
        self.any_changed |= self.remote_all_until.is_none();
        self.remote_all_until = Some(now + EXPIRY);
    }

    fn remote_subscribed(&mut self, session_id: SessionId, from_start: bool, now: Instant) {
        let new = || RemoteInterest { until: now, sent: HashMap::new() };
        let interest = self.remote.entry(session_id).or_insert_with(new);
        interest.until = now + EXPIRY;
        if from_start {
            interest.sent.clear();
            // The session may have changed after the subscriber read it and before this message arrived.
            self.changed.insert(session_id);
        }
    }
}

impl RemoteInterest {
    /// Returns the unsent parts of the texts that this process writes. On a refresh an unchanged text is
    /// confirmed with an empty piece.
    fn texts(&mut self, session: &LiveSession, refresh: bool) -> Vec<RelayMessage> {
        let mut messages = Vec::new();
        for text in session.texts().iter().filter(|text| text.is_written_here()) {
            let position = self.sent.get(&text.key).copied();
            let Some((rest, end)) = text.after(position) else {
                messages.extend(refresh.then(|| text.message(text.text.len(), "")));
                continue;
            };
            let offset = end.bytes - rest.len();
            let pieces = pieces(rest).into_iter();
            messages.extend(pieces.map(|(within, piece)| text.message(offset + within, piece)));
            self.sent.insert(text.key, end);
        }
        messages
    }
}

impl TextState {
    fn message(&self, offset: usize, piece: &str) -> RelayMessage {
        RelayMessage::Text {
            scope: self.scope,
            part: self.key.part,
            round: self.round,
            offset,
            text: piece.to_owned(),
        }
    }
}
