//! One client's subscription to one channel.

use std::collections::HashMap;
use std::time::Duration;

use tarsy_domain::{Channel, ChannelMessage, InteractionId, LiveMessage, StreamEndedData};
use tarsy_store::{
    ChangedSessions, LiveTextScope, SessionListSubscription, SessionSubscription, Store, StoreError,
};
use tokio::time::{Instant, sleep_until, timeout};

use super::message::{chunk, gap, unbounded_gap};
use super::{Batches, EncodedMessage};

/// Minimum time between two batches of progress messages in the channel `sessions`.
const LIST_INTERVAL: Duration = Duration::from_millis(500);
/// Interval at which the database is polled in case a notification was lost.
const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// Reads a channel for one client.
pub(crate) struct Feed {
    batches: Batches,
    channel: Channel,
    /// The last event that the client has.
    last_event_id: u64,
    /// Whether the database may have later events.
    may_have_more: bool,
    watch: Watch,
    store: Store,
    calls: HashMap<InteractionId, CallState>,
}

/// The state of a model or tool call, as far as the client knows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallState {
    InFlight,
    /// Its text in the live buffer, if any, is outdated.
    Recorded,
}

enum Watch {
    Session(SessionSubscription),
    Sessions { watch: SessionListSubscription, quiet_until: Instant },
}

impl Feed {
    /// Opens a feed that starts after `last_event_id`. Without it, a session starts with its first event and
    /// the channel `sessions` with the next one.
    pub(crate) async fn open(
        store: &Store,
        batches: Batches,
        channel: Channel,
        last_event_id: Option<u64>,
    ) -> Result<Self, StoreError> {
        // Subscribe before reading, so that no event is missed in between.
        let watch = match channel {
            Channel::Session(session_id) => Watch::Session(store.session_subscribe(session_id)),
            Channel::Sessions => {
                Watch::Sessions { watch: store.session_list_subscribe(), quiet_until: Instant::now() }
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

    /// Waits for new messages and returns them. Stored events come before chunks.
    pub(crate) async fn next(&mut self) -> Result<Vec<EncodedMessage>, StoreError> {
        loop {
            let mut messages = self.stored().await?;
            if messages.is_empty() {
                messages = self.transient().await?;
            }
            if !messages.is_empty() {
                return Ok(messages);
            }
            // A notification from another process may be lost.
            self.may_have_more |= timeout(POLL_INTERVAL, self.watch.changed()).await.is_err();
        }
    }

    /// Returns the next stored events, if there are any.
    async fn stored(&mut self) -> Result<Vec<EncodedMessage>, StoreError> {
        self.may_have_more |= self.watch.record_changed();
        if !self.may_have_more {
            return Ok(Vec::new());
        }
        let Some(batch) = self.batches.after(self.channel, self.last_event_id).await? else {
            self.may_have_more = false;
            return Ok(Vec::new());
        };
        let (first, last) = batch.ids;
        // Retention deleted events that the client has not received.
        let is_gap = first > self.last_event_id + 1 && self.last_event_id > 0;
        let gap = is_gap.then(|| gap(self.channel, self.last_event_id + 1, first));
        self.last_event_id = last;
        self.calls.extend(batch.recorded.iter().map(|call| (*call, CallState::Recorded)));
        Ok(gap.into_iter().chain(batch.messages.iter().cloned()).collect())
    }

    /// Returns messages that are not stored: new chunks of a session's texts, or the progress of sessions
    /// that changed.
    async fn transient(&mut self) -> Result<Vec<EncodedMessage>, StoreError> {
        match &mut self.watch {
            Watch::Session(watch) => {
                let (deltas, ended) = watch.take();
                let mut messages = self.abandoned(ended);
                for delta in deltas {
                    if self.is_in_flight(delta.scope).await? {
                        messages.push(chunk(self.channel, delta));
                    }
                }
                Ok(messages)
            }
            Watch::Sessions { watch, quiet_until } => {
                *quiet_until = Instant::now() + LIST_INTERVAL;
                let ChangedSessions::These(changed) = watch.take() else {
                    return Ok(vec![unbounded_gap(self.channel)]);
                };
                let mut messages = Vec::new();
                for (session_id, change) in changed {
                    messages.extend(self.batches.progress_after(session_id, change).await?);
                }
                Ok(messages)
            }
        }
    }
}

impl Feed {
    /// Returns a `stream.ended` for each call whose texts ended without being recorded.
    fn abandoned(&mut self, ended: Vec<InteractionId>) -> Vec<EncodedMessage> {
        let unrecorded = ended.into_iter().filter(|call| self.calls.get(call) == Some(&CallState::InFlight));
        let data = unrecorded.map(|interaction_id| StreamEndedData { interaction_id });
        data.map(|data| ChannelMessage::StreamEnded(LiveMessage::transient(self.channel, data)).into())
            .collect()
    }

    /// Returns whether a call is not recorded yet. The live buffer may briefly contain a call that the client
    /// received as recorded over an earlier connection.
    async fn is_in_flight(&mut self, place: LiveTextScope) -> Result<bool, StoreError> {
        let LiveTextScope { session_id, interaction_id: call, .. } = place;
        let state = match self.calls.get(&call) {
            Some(state) => *state,
            None if self.store.interaction_exists(session_id, call).await? => CallState::Recorded,
            None => CallState::InFlight,
        };
        self.calls.insert(call, state);
        Ok(state == CallState::InFlight)
    }
}

impl Watch {
    /// Waits for a change. Changes of the session list are throttled.
    async fn changed(&mut self) {
        match self {
            Self::Session(watch) => watch.changed().await,
            Self::Sessions { watch, quiet_until } => {
                watch.changed().await;
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
