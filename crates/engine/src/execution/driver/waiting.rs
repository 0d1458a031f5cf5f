//! Waits before a model call: how long, whether the time of the session allows it, and what clients see.
//!
//! A wait starts when the failed call ended, as recorded. A resumed run therefore waits for the rest only.

use std::time::Duration;

use tarsy_agent::{FailureCause, RunOutcome};
use tarsy_config::file::ProviderType;
use tarsy_domain::{InteractionId, LivePart, ModelFailure, Timestamp};
use tokio::time::sleep;

use super::DriverContext;
use super::state::RunState;
use crate::stop::halt::Halt;

/// Waits that are shorter are not shown.
const SHOWN_FROM: Duration = Duration::from_secs(5);

/// The last model call of a run, which failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FailedCall {
    pub(crate) provider: String,
    pub(crate) failure: ModelFailure,
    pub(crate) ended_at: Timestamp,
}

impl FailedCall {
    /// Returns the rest of a pause that started when the call ended.
    fn rest_of(&self, pause: Duration, now: Timestamp) -> Duration {
        let passed = u64::try_from(now.as_micros() - self.ended_at.as_micros()).unwrap_or_default();
        pause.saturating_sub(Duration::from_micros(passed))
    }

    /// Returns the text for clients that watch a wait.
    fn waiting_text(&self, rest: Duration) -> String {
        let kind = self.failure.kind.as_str().replace('_', " ");
        format!("Waiting {} for provider {}: {kind}", rounded(rest), self.provider)
    }

    /// Returns the error of a run that cannot wait for as long as the provider requests.
    fn too_long_text(&self, rest: Duration, left: Duration) -> String {
        format!(
            "provider `{}` asks to wait {}, and only {} are left: {}",
            self.provider,
            rounded(rest),
            rounded(left),
            self.failure.message
        )
    }
}

impl DriverContext<'_> {
    /// Waits before a model call. Returns the outcome of the run if the provider requests a longer wait than
    /// the session or the stage has time for.
    pub(super) async fn wait(&self, state: &RunState, pause: Duration) -> Result<Option<RunOutcome>, Halt> {
        let Some(failed) = state.failed_call() else {
            self.stop.unless_stopped(sleep(pause)).await?;
            return Ok(None);
        };
        let rest = failed.rest_of(pause, Timestamp::now());
        let left = self.stop.time_left();
        if let Some(left) = left.filter(|left| failed.failure.retry_after_ms.is_some() && rest > *left) {
            return Ok(Some(RunOutcome::Failed {
                error: failed.too_long_text(rest, left),
                cause: FailureCause::Model(failed.failure.kind),
                partial: state.run.last_text().map(str::to_owned),
            }));
        }
        if self.is_replay() && failed.failure.retry_after_ms.is_some() {
            return Ok(None);
        }
        let store = &self.work.resources.store;
        let scope = self.live_scope(InteractionId::new());
        let live = (rest >= SHOWN_FROM).then(|| store.live_text(scope, LivePart::ModelProgress));
        if let Some(live) = &live {
            live.restart(&failed.waiting_text(rest));
        }
        self.stop.unless_stopped(sleep(rest)).await?;
        Ok(None)
    }

    /// Returns whether the replies are recorded; a recorded provider has no rate limit.
    fn is_replay(&self) -> bool {
        let provider = self.work.resources.config.providers().get(&self.agent.llm_provider);
        provider.is_some_and(|provider| provider.r#type == ProviderType::Replay)
    }
}

/// Returns a duration for people: `45 s`, `5 min`, `2 h 10 min`.
pub(crate) fn rounded(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let minutes = (seconds + 30) / 60;
    match (seconds, minutes / 60, minutes % 60) {
        (0..120, _, _) => format!("{seconds} s"),
        (_, 0, minutes) => format!("{minutes} min"),
        (_, hours, 0) => format!("{hours} h"),
        (_, hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::{ModelFailureKind, TokenUsage};

    use super::*;

    fn failed(ended_at: Timestamp) -> FailedCall {
        let failure = ModelFailure {
            kind: ModelFailureKind::RateLimit,
            message: "Slow down.".to_owned(),
            partial_text: String::new(),
            retry_after_ms: Some(7_200_000),
            usage: TokenUsage::default(),
        };
        FailedCall { provider: "google".to_owned(), failure, ended_at }
    }

    #[test]
    fn a_resumed_run_waits_for_the_rest_only() {
        let (minute, ended_at) = (Duration::from_secs(60), Timestamp::from_micros(1_000_000));
        let failed = failed(ended_at);
        assert_eq!(failed.rest_of(5 * minute, ended_at), 5 * minute);
        assert_eq!(failed.rest_of(5 * minute, ended_at.after(2 * minute)), 3 * minute);
        assert_eq!(failed.rest_of(5 * minute, ended_at.after(9 * minute)), Duration::ZERO);
        // The clock was set back.
        assert_eq!(failed.rest_of(5 * minute, ended_at.before(minute)), 5 * minute);
    }

    #[test]
    fn describes_waits_in_plain_words() {
        let failed = failed(Timestamp::from_micros(0));
        assert_eq!(
            failed.waiting_text(Duration::from_secs(300)),
            "Waiting 5 min for provider google: rate limit"
        );
        assert_eq!(
            failed.too_long_text(Duration::from_secs(7_200), Duration::from_secs(1_200)),
            "provider `google` asks to wait 2 h, and only 20 min are left: Slow down."
        );
        assert_eq!(rounded(Duration::from_secs(45)), "45 s");
        assert_eq!(rounded(Duration::from_secs(2 * 3_600 + 600)), "2 h 10 min");
    }
}
