//! A session that this process works on, with its recorded input and its shared resources.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tarsy_config::ResolvedChain;
use tarsy_domain::{McpSelection, StageId, TimelineEventId, TimelineEventType, Timestamp};
use tarsy_store::{Claimed, NewTimelineEvent, Session, SessionInput, StoreError, decode_json, encode_json};
use tokio_util::sync::CancellationToken;

use crate::recorder::Recorder;
use crate::stop::halt::Halt;
use crate::stop::{Stop, StopCause};
use crate::{EngineResources, SessionMask};

/// Number of consecutive crashes after which a session or chat question is not retried, because it probably
/// causes them.
pub(crate) const MAX_CRASHES: u32 = 3;

/// A claimed session.
pub(crate) struct SessionWork {
    pub(crate) resources: Arc<EngineResources>,
    pub(crate) session: Session,
    pub(crate) input: SessionInput,
    pub(crate) chain: ResolvedChain,
    pub(crate) selection: McpSelection,
    pub(crate) mask: SessionMask,
    pub(crate) recorder: Recorder,
    pub(crate) stop: Stop,
    /// Number of masked values that are recorded.
    recorded_masks: AtomicUsize,
}

impl SessionWork {
    /// Loads a session. `progressed` is cancelled by its first write.
    pub(crate) async fn load(
        resources: Arc<EngineResources>,
        claimed: Claimed,
        stop: Stop,
        progressed: CancellationToken,
    ) -> Result<Self, Halt> {
        let Claimed { lease, session, .. } = claimed;
        // A cancellation that was requested before the claim did not reach this process.
        if resources.store.session_cancel_requested(session.session_id).await? {
            stop.stop(StopCause::Cancelled);
        }
        let input = resources.store.session_input_fetch(session.session_id).await?;
        let input = input.ok_or_else(|| Halt::Broken("the input of the session is missing".to_owned()))?;
        let session_id = session.session_id;
        let chain = decode_json("chain_snapshot", session_id, &input.chain_snapshot)?;
        let selection = input.mcp_selection.as_deref();
        let selection = selection.map(|text| decode_json("mcp_selection", session_id, text)).transpose()?;
        let masked = input.masked_values.as_deref();
        let masked = masked.map(|record| decode_json("masked_values", session_id, record)).transpose()?;
        let masked = masked.unwrap_or_default();
        let mask = SessionMask::resume(Arc::clone(&resources.maskers), session.session_id, &masked);
        Ok(Self {
            recorder: Recorder { store: resources.store.clone(), lease, progressed, stop: stop.clone() },
            recorded_masks: AtomicUsize::new(mask.len()),
            resources,
            session,
            input,
            chain,
            selection: selection.unwrap_or_default(),
            mask,
            stop,
        })
    }

    /// Returns the number of masked values, and their record if some of them are not recorded yet.
    pub(crate) fn masked_values(&self) -> Result<(usize, Option<String>), StoreError> {
        let count = self.mask.len();
        let is_new = count > self.recorded_masks.load(Ordering::Relaxed);
        let record = is_new.then(|| encode_json("masked_values", &self.mask.record())).transpose()?;
        Ok((count, record))
    }

    /// Notes that `count` masked values are recorded. Until then every concurrent write includes them,
    /// because the order of the commits is not known.
    pub(crate) fn masked_values_are_recorded(&self, count: usize) {
        self.recorded_masks.fetch_max(count, Ordering::Relaxed);
    }
}

/// Returns the remaining time of a time limit; interruptions do not count. Work that has not started has the
/// full limit.
///
/// Only the total interruption time of a session is known. A stage may therefore be credited with
/// interruptions before its start, but never gets more than its limit.
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

/// Creates a timeline entry without metadata.
pub(crate) fn timeline_entry(
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
    fn interruptions_do_not_count_toward_a_time_limit() {
        let (second, began) = (Duration::from_secs(1), Timestamp::from_micros(5_000_000));
        let now = began.after(7 * second);
        assert_eq!(time_left(10 * second, None, second, now), 10 * second);
        assert_eq!(time_left(10 * second, Some(began), Duration::ZERO, now), 3 * second);
        assert_eq!(time_left(10 * second, Some(began), 2 * second, now), 5 * second);
        assert_eq!(time_left(10 * second, Some(began), 60 * second, now), 10 * second);
        assert_eq!(time_left(5 * second, Some(began), second, now), Duration::ZERO);
    }
}
