//! One client's way through one channel.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;
use tarsy_domain::{Channel, InteractionId};
use tarsy_store::{ChangedSessions, LivePlace, SessionWatch, SessionsWatch, Store, StoreError};
use tokio::time::{Instant, sleep_until, timeout};

use super::{Batches, Message};

/// The list of sessions is told about the same session this often at most.
const LIST_INTERVAL: Duration = Duration::from_millis(500);
/// The record is looked at this often even without news.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);

/// Follows a channel for one client.
pub(crate) struct Feed {
    batches: Batches,
    channel: Channel,
    /// The last event that the client has.
    last_event_id: u64,
    /// Whether the record may have more than that.
    may_have_more: bool,
    watch: Watch,
    store: Store,
    calls: HashMap<InteractionId, Call>,
}

/// Where a model or tool call stands, as far as the client knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    UnderWay,
    /// What the room still has of it is old.
    Recorded,
}

enum Watch {
    Session(SessionWatch),
    Sessions { watch: SessionsWatch, quiet_until: Instant },
}

impl Feed {
    /// From the event after `last_event_id` on; without one, a session from its beginning, and the list from now.
    pub(crate) async fn open(
        store: &Store,
        batches: Batches,
        channel: Channel,
        last_event_id: Option<u64>,
    ) -> Result<Self, StoreError> {
        // The watch comes first: whatever is stored from now on is news to it.
        let watch = match channel {
            Channel::Session(session_id) => Watch::Session(store.session_watch(session_id)),
            Channel::Sessions => {
                Watch::Sessions { watch: store.sessions_watch(), quiet_until: Instant::now() }
            }
        };
        let last_event_id = match (last_event_id, channel) {
            (Some(known), _) => known,
            (None, Channel::Session(_)) => 0,
            (None, Channel::Sessions) => store.event_last_id(channel).await?,
        };
        Ok(Self {
            batches,
            channel,
            last_event_id,
            may_have_more: true,
            watch,
            store: store.clone(),
            calls: HashMap::new(),
        })
    }

    /// What is new, once something is. The record comes before what is being written, as it happened.
    pub(crate) async fn next(&mut self) -> Result<Vec<Message>, StoreError> {
        loop {
            let mut messages = self.stored().await?;
            if messages.is_empty() {
                messages = self.passing().await?;
            }
            if !messages.is_empty() {
                return Ok(messages);
            }
            // News may be lost on its way from another process.
            self.may_have_more |= timeout(LOOK_INTERVAL, self.watch.news()).await.is_err();
        }
    }

    /// The next stored events, if there are any.
    async fn stored(&mut self) -> Result<Vec<Message>, StoreError> {
        self.may_have_more |= self.watch.record_changed();
        if !self.may_have_more {
            return Ok(Vec::new());
        }
        let Some(batch) = self.batches.after(self.channel, self.last_event_id).await? else {
            self.may_have_more = false;
            return Ok(Vec::new());
        };
        let (first, last) = batch.ids;
        let gap = (first > self.last_event_id + 1 && self.last_event_id > 0).then(|| self.gap(first));
        self.last_event_id = last;
        self.calls.extend(batch.recorded.iter().map(|call| (*call, Call::Recorded)));
        Ok(gap.into_iter().chain(batch.messages.iter().cloned()).collect())
    }

    /// Events that the client has not seen are not kept any more: it has to read the session again.
    fn gap(&self, next: u64) -> Message {
        let data = json!({ "missing_from": self.last_event_id + 1, "next_event_id": next });
        Message::passing(self.channel, "gap", &data)
    }

    /// What is being written, or how sessions stand that have changed.
    async fn passing(&mut self) -> Result<Vec<Message>, StoreError> {
        match &mut self.watch {
            Watch::Session(watch) => {
                let (deltas, ended) = watch.take();
                let mut messages = self.given_up(ended);
                for delta in deltas {
                    if self.is_under_way(delta.place).await? {
                        messages.push(Message::chunk(self.channel, &delta));
                    }
                }
                Ok(messages)
            }
            Watch::Sessions { watch, quiet_until } => {
                *quiet_until = Instant::now() + LIST_INTERVAL;
                let ChangedSessions::These(changed) = watch.take() else {
                    return Ok(vec![Message::passing(self.channel, "gap", &json!({}))]);
                };
                let mut messages = Vec::new();
                for (session_id, change) in changed {
                    messages.extend(self.batches.standing(session_id, change).await?);
                }
                Ok(messages)
            }
        }
    }
}

impl Feed {
    /// Texts that ended without a record: nobody will say more.
    fn given_up(&mut self, ended: Vec<InteractionId>) -> Vec<Message> {
        let unrecorded = ended.into_iter().filter(|call| self.calls.get(call) == Some(&Call::UnderWay));
        let told = unrecorded.map(|call| json!({ "interaction_id": call }));
        told.map(|data| Message::passing(self.channel, "stream.ended", &data)).collect()
    }

    /// Whether a call is not recorded yet. One that the client already knows from an earlier connection may still be in
    /// the room for a moment.
    async fn is_under_way(&mut self, place: LivePlace) -> Result<bool, StoreError> {
        let LivePlace { session_id, interaction_id: call, .. } = place;
        let standing = match self.calls.get(&call) {
            Some(standing) => *standing,
            None if self.store.interaction_exists(session_id, call).await? => Call::Recorded,
            None => Call::UnderWay,
        };
        self.calls.insert(call, standing);
        Ok(standing == Call::UnderWay)
    }
}

impl Watch {
    /// Waits for news. The list is not told about every step of every session at once.
    async fn news(&mut self) {
        match self {
            Self::Session(watch) => watch.news().await,
            Self::Sessions { watch, quiet_until } => {
                watch.news().await;
                sleep_until(*quiet_until).await;
            }
        }
    }

    fn record_changed(&mut self) -> bool {
        match self {
            Self::Session(watch) => watch.record_changed(),
            Self::Sessions { watch, .. } => watch.record_changed(),
        }
    }
}
