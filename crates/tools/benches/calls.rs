//! Measures the overhead of the toolbox: calls through it compared with raw JSON over the same kind of pipe
//! or socket.
//!
//! Two servers echo a text: our own minimal one, so that only overhead remains, and the MCP project's. Raw
//! calls and toolbox calls alternate in one run, so the ratio holds on a busy machine. The last figure is the
//! limit of the machine: the same number of bytes to another process and back, without parsing.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints, and stops at the first surprise"
)]

#[path = "calls/echo.rs"]
mod echo;
#[path = "calls/limit.rs"]
mod limit;
#[path = "calls/ours.rs"]
mod ours;
#[path = "calls/raw.rs"]
mod raw;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ours::Ours;
use raw::{RawHttp, RawPipe};

/// Size of the echoed text.
const SIZES: [usize; 3] = [100, 10_000, 1_000_000];
/// Number of alternations between raw calls and toolbox calls.
const TURNS: usize = 10;
/// Number of calls in flight in the concurrent measurements.
const CONCURRENT_CALLS: usize = 16;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("echo") => echo::serve_pipe(),
        Some("limit") => limit::serve_pipe(),
        Some(_) | None => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            runtime.block_on(compare_all());
        }
    }
}

async fn compare_all() {
    println!(
        "\na call of a tool that echoes, one after another and {CONCURRENT_CALLS} concurrently; times are p50 / p99\n"
    );
    println!(
        "{:<24}{:>9}{:>12}{:>20}{:>20}{:>8}{:>11}{:>11}{:>8}",
        "server", "bytes", "limit", "raw", "ours", "ratio", "raw, 1/s", "ours, 1/s", "ratio"
    );
    let bare = std::env::current_exe().unwrap();
    compare_pipes("bare, pipe", &bare, "echo").await;
    let port = echo::serve_http();
    compare_http("bare, HTTP", &format!("http://127.0.0.1:{port}/mcp")).await;
    let everything = peers().join("node_modules/.bin/mcp-server-everything");
    if !everything.exists() {
        println!("the MCP project's server is not installed; `make test-tools` does it");
        return;
    }
    compare_pipes("everything, pipe", &everything, "stdio").await;
    let (_server, url) = raw::start_everything(&everything).await;
    compare_http("everything, HTTP", &url).await;
}

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-peers/mcp")
}

async fn compare_pipes(name: &str, program: &Path, argument: &str) {
    let raw = RawPipe::start(program, argument).await;
    let ours = Ours::with_program(program, argument).await;
    for size in SIZES {
        let text = "x".repeat(size);
        let limit = limit::over_pipe(size).await;
        let figures = take_turns(size, || raw.call(&text), || ours.call(&text)).await;
        let raw_rate = rate(size, || raw.call_concurrently(&text, CONCURRENT_CALLS)).await;
        let our_rate = rate(size, || ours.call_concurrently(&text, CONCURRENT_CALLS)).await;
        print_row(name, size, limit, &figures, raw_rate, our_rate);
    }
    ours.close().await;
}

async fn compare_http(name: &str, url: &str) {
    let raw = RawHttp::open(url).await;
    let ours = Ours::over_http(url).await;
    for size in SIZES {
        let text = "x".repeat(size);
        let limit = limit::over_socket(size).await;
        let figures = take_turns(size, || raw.call(&text), || ours.call(&text)).await;
        let raw_rate = rate(size, || raw.call_concurrently(&text, CONCURRENT_CALLS)).await;
        let our_rate = rate(size, || ours.call_concurrently(&text, CONCURRENT_CALLS)).await;
        print_row(name, size, limit, &figures, raw_rate, our_rate);
    }
    ours.close().await;
}

/// Durations of raw calls and toolbox calls, each sorted.
struct Figures {
    raw: Vec<Duration>,
    ours: Vec<Duration>,
}

fn print_row(name: &str, size: usize, limit: Duration, figures: &Figures, raw_rate: f64, our_rate: f64) {
    let at =
        |times: &[Duration], share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64();
    let show = |times: &[Duration]| format!("{:.0} / {:.0} µs", at(times, 0.5) * 1e6, at(times, 0.99) * 1e6);
    println!(
        "{name:<24}{size:>9}{:>12}{:>20}{:>20}{:>8.2}{raw_rate:>11.0}{our_rate:>11.0}{:>8.2}",
        format!("{:.0} µs", limit.as_secs_f64() * 1e6),
        show(&figures.raw),
        show(&figures.ours),
        at(&figures.ours, 0.5) / at(&figures.raw, 0.5),
        raw_rate / our_rate,
    );
}

/// Number of calls, fewer for a larger text; the first ones are warm-up.
fn calls_of(size: usize) -> usize {
    if size < 100_000 { 100 } else { 10 }
}

async fn take_turns<R, O>(size: usize, raw: impl Fn() -> R, ours: impl Fn() -> O) -> Figures
where
    R: Future<Output = ()>,
    O: Future<Output = ()>,
{
    let mut figures = Figures { raw: Vec::new(), ours: Vec::new() };
    time(calls_of(size), &raw).await;
    time(calls_of(size), &ours).await;
    for _ in 0..TURNS {
        figures.raw.extend(time(calls_of(size), &raw).await);
        figures.ours.extend(time(calls_of(size), &ours).await);
    }
    figures.raw.sort_unstable();
    figures.ours.sort_unstable();
    figures
}

async fn time<F: Future<Output = ()>>(calls: usize, call: &impl Fn() -> F) -> Vec<Duration> {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let began = Instant::now();
        call().await;
        times.push(began.elapsed());
    }
    times
}

/// Returns calls per second with a constant number in flight.
async fn rate<F: Future<Output = ()>>(size: usize, calls_at_once: impl Fn() -> F) -> f64 {
    let rounds = calls_of(size) / 2;
    let took: Duration = time(rounds, &calls_at_once).await.into_iter().sum();
    (rounds * CONCURRENT_CALLS) as f64 / took.as_secs_f64()
}
