//! Carries live news between the processes that share a PostgreSQL database.
//!
//! A process says which sessions it watches; only about those do the others tell it anything, every tenth of a second,
//! outside of any transaction. Whoever has missed a piece asks for the whole text anew, and a text of which nothing was
//! heard for a while is dropped, so nothing here needs to arrive. On SQLite there are no others, and nothing is kept.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tarsy_domain::{InteractionId, SessionId};
use uuid::Uuid;

use super::Live;
use super::parcel::{News, pack, pieces, unpack};
use super::room::{Arrival, Arrived, Mark, Room, Text, TextKey};

/// How often a process says what it watches, and that its texts are still under way.
const REFRESH: Duration = Duration::from_secs(5);
/// After so long without a word, a watch or a text of another process is over.
const FORGET: Duration = Duration::from_secs(20);

/// What this process and the others have to tell each other.
pub(super) struct Relay {
    /// Tells processes apart.
    process: Uuid,
    /// The lock is held while news is put together, never across an await.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What is watched here.
    own: HashMap<SessionId, OwnWatch>,
    /// How many watch all sessions here.
    own_all: usize,
    /// What is watched elsewhere.
    others: HashMap<SessionId, Interest>,
    /// Until when somebody elsewhere watches all sessions.
    others_all: Option<Instant>,
    changed: BTreeSet<SessionId>,
    any_changed: bool,
    ended: Vec<(SessionId, InteractionId)>,
    refreshed: Option<Instant>,
}

#[derive(Default)]
struct OwnWatch {
    watchers: usize,
    /// Whether texts are needed from their beginning.
    anew: bool,
}

struct Interest {
    until: Instant,
    sent: HashMap<TextKey, Mark>,
}

impl Default for Relay {
    fn default() -> Self {
        Self { process: Uuid::now_v7(), state: Mutex::default() }
    }
}

impl Relay {
    pub(super) fn watch_begins(&self, session_id: SessionId) {
        let mut state = self.state();
        let own = state.own.entry(session_id).or_default();
        own.watchers += 1;
        own.anew = true;
    }

    pub(super) fn watch_ends(&self, session_id: SessionId) {
        let mut state = self.state();
        if let Some(own) = state.own.get_mut(&session_id) {
            own.watchers -= 1;
            if own.watchers == 0 {
                state.own.remove(&session_id);
            }
        }
    }

    pub(super) fn watch_of_all_begins(&self) {
        let mut state = self.state();
        state.own_all += 1;
        state.refreshed = None;
    }

    pub(super) fn watch_of_all_ends(&self) {
        self.state().own_all -= 1;
    }

    pub(super) fn changed(&self, session_id: SessionId) {
        let mut state = self.state();
        if state.others_all.is_some() || state.others.contains_key(&session_id) {
            state.changed.insert(session_id);
        }
    }

    pub(super) fn ended(&self, session_id: SessionId, interaction_id: InteractionId) {
        let mut state = self.state();
        if let Some(interest) = state.others.get_mut(&session_id) {
            interest.sent.retain(|key, _| key.interaction_id != interaction_id);
            state.ended.push((session_id, interaction_id));
        }
    }

    /// Asks for everything again: something may have been missed.
    fn start_over(&self) {
        let mut state = self.state();
        state.own.values_mut().for_each(|own| own.anew = true);
        state.refreshed = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    /// What other processes should be told now. The record comes before the texts, as it happened.
    pub(crate) fn parcels(&self, now: Instant) -> Vec<String> {
        let mut state = self.0.relay.state();
        state.forget(now);
        let refresh = state.refreshed.is_none_or(|at| now.duration_since(at) >= REFRESH);
        if refresh {
            state.refreshed = Some(now);
        }
        let mut news = state.questions(refresh);
        news.extend(
            std::mem::take(&mut state.changed).into_iter().map(|session_id| News::Changed { session_id }),
        );
        news.extend(std::mem::take(&mut state.any_changed).then_some(News::AnyChanged));
        let ended = std::mem::take(&mut state.ended).into_iter();
        news.extend(ended.map(|(session_id, interaction_id)| News::Ended { session_id, interaction_id }));
        let rooms = self.rooms();
        for (session_id, interest) in &mut state.others {
            if let Some(room) = rooms.get(session_id) {
                news.extend(interest.texts(room, refresh));
            }
        }
        pack(self.0.relay.process, news)
    }

    /// Hears what another process tells.
    pub(crate) fn hear(&self, payload: &str, now: Instant) {
        for news in unpack(self.0.relay.process, payload) {
            match news {
                News::Watching { session_id, anew } => self.0.relay.state().interested(session_id, anew, now),
                News::WatchingAll => self.0.relay.state().all_are_watched(now),
                News::AnyChanged => self.0.changes.lose_count(),
                News::Changed { session_id } => self.changed_elsewhere(session_id),
                News::Text { place, part, round, offset, text } => {
                    let key = TextKey { interaction_id: place.interaction_id, part };
                    self.arrives(Arrival { place, key, round, offset, text, at: now });
                }
                News::Ended { session_id, interaction_id } => {
                    if let Some(room) = self.rooms().get(&session_id) {
                        room.change(|texts| texts.retain(|text| text.key.interaction_id != interaction_id));
                    }
                }
            }
        }
    }

    /// Listens again after a pause in which anything may have been missed.
    pub(crate) fn start_over(&self) {
        self.0.relay.start_over();
        self.rooms().values().for_each(|room| room.record_changed());
        self.0.changes.lose_count();
    }

    fn arrives(&self, arrival: Arrival) {
        let session_id = arrival.place.session_id;
        let Some(arrived) = self.rooms().get(&session_id).map(|room| room.arrives(arrival)) else { return };
        if arrived == Arrived::WithAGap
            && let Some(own) = self.0.relay.state().own.get_mut(&session_id)
        {
            own.anew = true;
        }
    }

    /// Drops texts of processes that have gone silent.
    pub(crate) fn forget_silent(&self, now: Instant) {
        self.rooms().values().for_each(|room| room.forget(now, FORGET));
    }
}

impl State {
    fn forget(&mut self, now: Instant) {
        self.others.retain(|_, interest| interest.until > now);
        self.others_all = self.others_all.filter(|until| *until > now);
    }

    /// What this process watches, as far as others have to hear it now.
    fn questions(&mut self, refresh: bool) -> Vec<News> {
        let asked = self.own.iter_mut().filter(|(_, own)| own.anew || refresh);
        let sessions = asked.map(|(session_id, own)| News::Watching {
            session_id: *session_id,
            anew: std::mem::take(&mut own.anew),
        });
        let mut news: Vec<News> = sessions.collect();
        if refresh && self.own_all > 0 {
            news.push(News::WatchingAll);
        }
        news
    }

    fn all_are_watched(&mut self, now: Instant) {
        // Some may have changed after they looked and before this was heard.
        self.any_changed |= self.others_all.is_none();
        self.others_all = Some(now + FORGET);
    }

    fn interested(&mut self, session_id: SessionId, anew: bool, now: Instant) {
        let new = || Interest { until: now, sent: HashMap::new() };
        let interest = self.others.entry(session_id).or_insert_with(new);
        interest.until = now + FORGET;
        if anew {
            interest.sent.clear();
            // It may have changed after they looked and before this was heard.
            self.changed.insert(session_id);
        }
    }
}

impl Interest {
    /// What was not sent yet of the texts that are written here; on a refresh at least that they go on.
    fn texts(&mut self, room: &Room, refresh: bool) -> Vec<News> {
        let mut news = Vec::new();
        for text in room.texts().iter().filter(|text| text.is_written_here()) {
            let mark = self.sent.get(&text.key).copied();
            let Some((rest, now)) = text.beyond(mark) else {
                news.extend(refresh.then(|| text.news(text.text.len(), "")));
                continue;
            };
            let offset = now.bytes - rest.len();
            news.extend(pieces(rest).into_iter().map(|(within, piece)| text.news(offset + within, piece)));
            self.sent.insert(text.key, now);
        }
        news
    }
}

impl Text {
    fn news(&self, offset: usize, piece: &str) -> News {
        News::Text {
            place: self.place,
            part: self.key.part,
            round: self.round,
            offset,
            text: piece.to_owned(),
        }
    }
}
