//! Reproducible random choices. The seed is printed if the test fails.

use std::time::Duration;

use fastrand::Rng;

/// The default number of kills.
const DEFAULT_KILLS: u32 = 20;

/// A seeded random number generator.
pub(crate) struct SeededRandom {
    pub(crate) rng: Rng,
    seed: u64,
}

impl SeededRandom {
    pub(crate) fn new() -> Self {
        let seed = number("TARSY_CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
        Self { rng: Rng::with_seed(seed), seed }
    }

    /// Returns a random duration below `limit` milliseconds.
    pub(crate) fn up_to_ms(&mut self, limit: u64) -> Duration {
        Duration::from_millis(self.rng.u64(..limit))
    }
}

impl Drop for SeededRandom {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("to repeat this run, set TARSY_CRASH_SEED={}", self.seed);
        }
    }
}

/// Returns the number of kills of this run.
pub(crate) fn kills() -> u32 {
    number("TARSY_CRASH_KILLS").map_or(DEFAULT_KILLS, |kills| u32::try_from(kills).unwrap())
}

/// Returns `few` for the default number of kills, `many` for a longer run.
pub(crate) fn session_count(few: usize, many: usize) -> usize {
    if kills() > DEFAULT_KILLS { many } else { few }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap())
}
