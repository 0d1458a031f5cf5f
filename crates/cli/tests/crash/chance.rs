//! Chance that can be had again: a seed, which is told when the test fails.

use std::time::Duration;

use fastrand::Rng;

/// How often a run is disturbed where nobody says otherwise.
const KILLS: u32 = 20;

/// A source of chance.
pub(crate) struct Chance {
    pub(crate) rng: Rng,
    seed: u64,
}

impl Chance {
    pub(crate) fn new() -> Self {
        let seed = number("TARSY_CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
        Self { rng: Rng::with_seed(seed), seed }
    }

    /// Some time up to so many milliseconds.
    pub(crate) fn up_to_ms(&mut self, most: u64) -> Duration {
        Duration::from_millis(self.rng.u64(..most))
    }
}

impl Drop for Chance {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("to have the same kills again: TARSY_CRASH_SEED={}", self.seed);
        }
    }
}

/// How often processes are killed in this run.
pub(crate) fn kills() -> u32 {
    number("TARSY_CRASH_KILLS").map_or(KILLS, |kills| u32::try_from(kills).unwrap())
}

/// `few` sessions in the short form of a test, `many` in the long one.
pub(crate) fn sessions(few: usize, many: usize) -> usize {
    if kills() > KILLS { many } else { few }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap())
}
