//! Measures the parsing time per byte of replies of one kilobyte to four megabytes, ordinary and hostile.
//!
//! A linear parser takes the same time per byte at every size, so the ratio of the last column to the first
//! is close to one. With a superlinear parser, one reply could keep a worker busy. The time of one pass over
//! all bytes is printed for comparison.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

#[path = "react/texts.rs"]
mod texts;

use std::hint::black_box;
use std::time::{Duration, Instant};

use tarsy_agent::react::{parse, parse_parameters};

/// From one kilobyte to four megabytes, in steps of four.
const SIZES: [usize; 7] = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22];
/// Minimum duration and number of runs of each measurement.
const MEASURED: Duration = Duration::from_millis(40);
const RUNS: usize = 3;

fn main() {
    heading("every byte once");
    row("count of line ends", texts::ordinary_action, |text| {
        text.bytes().filter(|byte| *byte == b'\n').count()
    });
    heading("parse");
    for (name, text) in texts::REPLIES {
        row(name, text, parse);
    }
    heading("parse_parameters");
    for (name, text) in texts::INPUTS {
        row(name, text, parse_parameters);
    }
}

fn heading(what: &str) {
    println!("\n{what:<34}{}   last : first", SIZES.map(|size| format!("{:>9}", label(size))).concat());
}

fn label(size: usize) -> String {
    if size < 1 << 20 { format!("{} kB", size >> 10) } else { format!("{} MB", size >> 20) }
}

fn row<T>(name: &str, text: impl Fn(usize) -> String, read: impl Fn(&str) -> T) {
    let figures = SIZES.map(|size| nanoseconds_per_byte(&text(size), &read));
    let ratio = figures[SIZES.len() - 1] / figures[0];
    println!("  {name:<32}{}   {ratio:>8.2}", figures.map(|figure| format!("{figure:>9.2}")).concat());
}

/// Returns the fastest of several runs, because interference only makes a run slower.
fn nanoseconds_per_byte<T>(text: &str, read: impl Fn(&str) -> T) -> f64 {
    let began = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < RUNS || began.elapsed() < MEASURED {
        let run = Instant::now();
        black_box(read(black_box(text)));
        best = best.min(run.elapsed());
        runs += 1;
    }
    best.as_nanos() as f64 / text.len() as f64
}
