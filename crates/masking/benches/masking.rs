//! Measures masking throughput in MB/s, from a kilobyte to 50 megabytes, for ordinary and hostile texts.
//!
//! Linear masking has the same throughput at every size, so the ratio of the last column to the first is
//! about one or higher. The first rows show the limit of the machine: the throughput of reading every byte
//! once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

#[path = "masking/texts.rs"]
mod texts;

use std::hint::black_box;
use std::time::{Duration, Instant};

use tarsy_masking::{Ledger, Masker, Selection};

/// From one kilobyte to fifty megabytes.
const SIZES: [usize; 5] = [1 << 10, 1 << 15, 1 << 20, 10 << 20, 50 << 20];
/// Minimum duration of each measurement.
const MEASURED: Duration = Duration::from_millis(60);
/// Minimum number of runs of each measurement.
const RUNS: usize = 2;

fn main() {
    let masker = Masker::new(&Selection::groups(["all"])).unwrap();
    heading("every byte once, MB/s");
    row("count of line ends", texts::plain, |text| text.bytes().filter(|byte| *byte == b'\n').count());
    row("copy", texts::plain, str::to_owned);
    heading("mask with all patterns, MB/s");
    for (name, text) in texts::TEXTS {
        row(name, *text, |text| masker.mask(text, &mut Ledger::new(b"session")));
    }
}

fn heading(what: &str) {
    println!("\n{what:<34}{}   last : first", SIZES.map(|size| format!("{:>9}", label(size))).concat());
}

fn label(size: usize) -> String {
    if size < 1 << 20 { format!("{} kB", size >> 10) } else { format!("{} MB", size >> 20) }
}

fn row<T>(name: &str, text: impl Fn(usize) -> String, run: impl Fn(&str) -> T) {
    let figures = SIZES.map(|size| megabytes_per_second(&text(size), &run));
    let ratio = figures[SIZES.len() - 1] / figures[0];
    println!("  {name:<32}{}   {ratio:>8.2}", figures.map(|figure| format!("{figure:>9.0}")).concat());
}

/// Returns the throughput of the fastest run: other load on the machine only makes runs slower.
fn megabytes_per_second<T>(text: &str, run: impl Fn(&str) -> T) -> f64 {
    let began = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < RUNS || began.elapsed() < MEASURED {
        let start = Instant::now();
        black_box(run(black_box(text)));
        best = best.min(start.elapsed());
        runs += 1;
    }
    text.len() as f64 / best.as_secs_f64() / 1e6
}
