//! A session that this process works on, with everything there is at hand for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tarsy_agent::Prompts;
use tarsy_config::{Config, ResolvedChain};
use tarsy_domain::{McpSelection, StageId, TimelineEventId, TimelineEventType, Timestamp};
use tarsy_store::{
    Claimed, NewTimelineEvent, Session, SessionInput, Store, StoreError, decode_json, encode_json,
};
use tokio_util::sync::CancellationToken;

use crate::recorder::Recorder;
use crate::stop::halt::Halt;
use crate::stop::{Stop, StopCause};
use crate::{Maskers, Models, Runbooks, Servers, SessionMask};

/// Workers lost in a row after which a session, or a question, is given up: it takes down whoever works on it.
pub(crate) const MOST_CRASHES: u32 = 3;

/// What the engine works with, the same for all sessions.
pub struct Parts {
    /// The configuration.
    pub config: Arc<Config>,
    /// Where everything is recorded.
    pub store: Store,
    /// The models.
    pub models: Arc<Models>,
    /// The MCP servers.
    pub servers: Arc<Servers>,
    /// What keeps secrets from everybody.
    pub maskers: Arc<Maskers>,
    /// How models are spoken to.
    pub prompts: Arc<Prompts>,
    /// Where runbooks come from.
    pub runbooks: Arc<Runbooks>,
}

/// One session under way.
pub(crate) struct Work {
    pub(crate) parts: Arc<Parts>,
    pub(crate) session: Session,
    pub(crate) input: SessionInput,
    pub(crate) chain: ResolvedChain,
    pub(crate) selection: McpSelection,
    pub(crate) mask: SessionMask,
    pub(crate) recorder: Recorder,
    pub(crate) stop: Stop,
    /// How many masked values are surely recorded.
    masked: AtomicUsize,
}

impl Work {
    /// Reads what is recorded about a session. `moved` is cancelled when it comes further.
    pub(crate) async fn load(
        parts: Arc<Parts>,
        claimed: Claimed,
        stop: Stop,
        moved: CancellationToken,
    ) -> Result<Self, Halt> {
        let Claimed { lease, session, .. } = claimed;
        // Asked now that the session is held: a request to stop that came before was pushed to nobody.
        if parts.store.session_cancel_requested(session.session_id).await? {
            stop.stop(StopCause::Cancelled);
        }
        let input = parts.store.session_input_fetch(session.session_id).await?;
        let input = input.ok_or_else(|| Halt::Broken("what came in with the alert is missing".to_owned()))?;
        let session_id = session.session_id;
        let chain = decode_json("chain_snapshot", session_id, &input.chain_snapshot)?;
        let selection = input.mcp_selection.as_deref();
        let selection = selection.map(|text| decode_json("mcp_selection", session_id, text)).transpose()?;
        let seen = input.masked_values.as_deref();
        let seen = seen.map(|record| decode_json("masked_values", session_id, record)).transpose()?;
        let seen = seen.unwrap_or_default();
        let mask = SessionMask::resume(Arc::clone(&parts.maskers), session.session_id, &seen);
        Ok(Self {
            recorder: Recorder { store: parts.store.clone(), lease, moved, stop: stop.clone() },
            masked: AtomicUsize::new(mask.len()),
            parts,
            session,
            input,
            chain,
            selection: selection.unwrap_or_default(),
            mask,
            stop,
        })
    }

    /// How many values were masked so far, and their record if some of them are not recorded yet.
    pub(crate) fn masked_values(&self) -> Result<(usize, Option<String>), StoreError> {
        let seen = self.mask.len();
        let is_new = seen > self.masked.load(Ordering::Relaxed);
        let record = is_new.then(|| encode_json("masked_values", &self.mask.record())).transpose()?;
        Ok((seen, record))
    }

    /// Says that so many masked values are recorded. Until then whoever else records something records them too, because
    /// nobody knows whose write is the first to be committed.
    pub(crate) fn masked_values_are_recorded(&self, seen: usize) {
        self.masked.fetch_max(seen, Ordering::Relaxed);
    }
}

/// What is left of a time limit. Interruptions do not count; of what began now all is left.
///
/// How long a session was interrupted is known in all, not for each of its parts: those of before a part began are in
/// its favour, but never beyond its limit.
pub(crate) fn time_left(
    limit: Duration,
    began: Option<Timestamp>,
    interrupted: Duration,
    now: Timestamp,
) -> Duration {
    let Some(began) = began else { return limit };
    let left = began.after(limit).after(interrupted).as_micros() - now.as_micros();
    limit.min(Duration::from_micros(u64::try_from(left).unwrap_or_default()))
}

/// An entry of the timeline with nothing to add.
pub(crate) fn note(
    event_type: TimelineEventType,
    stage_id: Option<StageId>,
    content: String,
) -> NewTimelineEvent {
    NewTimelineEvent {
        timeline_event_id: TimelineEventId::new(),
        stage_id,
        event_type,
        content,
        metadata: "{}".to_owned(),
        created_at: Timestamp::now(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_goes_on_after_an_interruption() {
        let (second, began) = (Duration::from_secs(1), Timestamp::from_micros(5_000_000));
        let now = began.after(7 * second);
        assert_eq!(time_left(10 * second, None, second, now), 10 * second);
        assert_eq!(time_left(10 * second, Some(began), Duration::ZERO, now), 3 * second);
        assert_eq!(time_left(10 * second, Some(began), 2 * second, now), 5 * second);
        assert_eq!(time_left(10 * second, Some(began), 60 * second, now), 10 * second);
        assert_eq!(time_left(5 * second, Some(began), second, now), Duration::ZERO);
    }
}
