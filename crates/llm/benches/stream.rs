//! Latency and CPU time of streamed chunks, with 1 to 1,000 concurrent streams.
//!
//! A server in its own thread writes chunks at a fixed rate, each with the time at which it was written. It
//! starts when all streams are connected; their chunks are evenly distributed over time. The latency is
//! measured at the reader, for the chunks of our stream and, as a baseline, for the bytes of a plain socket.
//! If readers fall behind, the latency of the last second rises. The CPU time of the reader threads is
//! measured separately.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints, and panics on unexpected results"
)]

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tarsy_domain::{Message, ModelCatalog};
use tarsy_llm::{
    Chunk, Model, ModelRequest, NativeTools, Origin, Settings, Tags, Thinking, Timeouts, Vendor,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use url::Url;

const PACE: Duration = Duration::from_millis(10);
const SECONDS: u32 = 5;
const CHUNKS: usize = (SECONDS * 100) as usize;
const STREAM_COUNTS: [usize; 4] = [1, 10, 100, 1_000];
const READER: &str = "reader";

fn main() {
    println!(
        "{SECONDS} s of 100 chunks a second in each stream; latency from the server's write to the reader\n"
    );
    println!(
        "{:>8}  {:<13} {:>9} {:>9} {:>15}  {:>12} {:>17}",
        "streams", "read by", "p50", "p99", "last second p50", "one core", "streams per core"
    );
    for streams in STREAM_COUNTS {
        measure(streams, |address| Box::pin(read_plain(address))).print(streams, "a plain socket");
        let model = OnceLock::new();
        let ours = measure(streams, |address| {
            let model = Arc::clone(model.get_or_init(|| model_at(address)));
            Box::pin(read_chunks(model))
        });
        ours.print(streams, "our stream");
        assert_eq!(ours.arrived(), streams * CHUNKS, "chunks were lost");
    }
}

type Reading = Pin<Box<dyn Future<Output = Vec<u64>> + Send>>;

/// Latencies in nanoseconds for each stream, in order of arrival, and the CPU time of the readers.
struct Measurement {
    delays: Vec<Vec<u64>>,
    busy: Duration,
}

impl Measurement {
    fn arrived(&self) -> usize {
        self.delays.iter().map(Vec::len).sum()
    }

    fn print(&self, streams: usize, reader: &str) {
        let all = sorted(self.delays.iter().flatten());
        let last = sorted(self.delays.iter().flat_map(|delays| delays.iter().rev().take(100)));
        let share = self.busy.as_secs_f64() / f64::from(SECONDS);
        println!(
            "{streams:>8}  {reader:<13} {:>9} {:>9} {:>15}  {:>10.1} % {:>17.0}",
            show(&all, 0.5),
            show(&all, 0.99),
            show(&last, 0.5),
            share * 100.0,
            streams as f64 / share.max(0.002)
        );
    }
}

fn sorted<'a>(delays: impl Iterator<Item = &'a u64>) -> Vec<u64> {
    let mut delays: Vec<u64> = delays.copied().collect();
    delays.sort_unstable();
    delays
}

fn show(sorted: &[u64], share: f64) -> String {
    format!("{:.0} µs", sorted[((sorted.len() - 1) as f64 * share) as usize] as f64 / 1000.0)
}

/// Runs readers concurrently.
fn measure(streams: usize, read: impl Fn(SocketAddr) -> Reading) -> Measurement {
    let address = start_server(streams);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().thread_name(READER).enable_all().build().unwrap();
    runtime.block_on(async {
        let readers: Vec<_> = (0..streams).map(|_| tokio::spawn(read(address))).collect();
        let mut delays = Vec::new();
        for reader in readers {
            delays.push(reader.await.unwrap());
        }
        Measurement { delays, busy: reader_time() }
    })
}

async fn read_chunks(model: Arc<dyn Model>) -> Vec<u64> {
    let request = ModelRequest {
        stop_sequences: &[],
        messages: vec![Arc::new(Message::user("Count."))],
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags: Tags::default(),
    };
    let mut reply = model.stream(request);
    let mut delays = Vec::with_capacity(CHUNKS);
    while let Some(chunk) = reply.next().await {
        if let Chunk::Text(text) = chunk.unwrap() {
            delays.push(since_start() - text.trim().parse::<u64>().unwrap());
        }
    }
    delays
}

/// Reads a plain socket and parses only the time in the last complete event.
async fn read_plain(address: SocketAddr) -> Vec<u64> {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(b"POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n").await.unwrap();
    let (mut bytes, mut delays) = (Vec::new(), Vec::with_capacity(CHUNKS));
    while socket.read_buf(&mut bytes).await.unwrap() > 0 {
        let now = since_start();
        let text = std::str::from_utf8(&bytes).unwrap();
        let Some((whole, _)) = text.rsplit_once("\n\n") else { continue };
        let written = whole.rsplit_once("\"content\":\" ").and_then(|(_, rest)| rest.split('"').next());
        delays.extend(written.and_then(|written| written.parse::<u64>().ok()).map(|written| now - written));
        bytes.clear();
    }
    delays
}

fn model_at(address: SocketAddr) -> Arc<dyn Model> {
    let settings = Settings {
        origin: Origin { provider: "local".to_owned(), model: "counting".to_owned() },
        base_url: Url::parse(&format!("http://{address}/")).unwrap(),
        api_key: None,
        temperature: None,
        max_output_tokens: None,
        thinking: Thinking::default(),
        timeouts: Timeouts::default(),
        models: ModelCatalog::default(),
        verify_tls: true,
    };
    Vendor::OpenAiCompatible.model(settings).unwrap()
}

/// Starts a server for a number of streams.
fn start_server(streams: usize) -> SocketAddr {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            let connected = Arc::new(Barrier::new(streams));
            let mut served = Vec::new();
            for number in 0..streams {
                let (socket, _) = listener.accept().await.unwrap();
                let shift = PACE * u32::try_from(number).unwrap() / u32::try_from(streams).unwrap();
                served.push(tokio::spawn(serve(socket, Arc::clone(&connected), shift)));
            }
            for stream in served {
                stream.await.unwrap().unwrap();
            }
        });
    });
    receiver.recv().unwrap()
}

/// Responds to one request with chunks that contain the time at which they were written.
async fn serve(mut socket: TcpStream, connected: Arc<Barrier>, shift: Duration) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut request = vec![0; 64 * 1024];
    let _ = socket.read(&mut request).await?;
    socket
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        .await?;
    connected.wait().await;
    let mut pace = tokio::time::interval_at(tokio::time::Instant::now() + PACE + shift, PACE);
    for _ in 0..CHUNKS {
        pace.tick().await;
        let chunk = format!(
            "data: {{\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\" {}\"}},\"finish_reason\":null}}]}}\n\n",
            since_start()
        );
        socket.write_all(chunk.as_bytes()).await?;
    }
    let end =
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    socket.write_all(end.as_bytes()).await?;
    socket.shutdown().await
}

static START: OnceLock<Instant> = OnceLock::new();

/// Returns the nanoseconds since the start of the benchmark.
fn since_start() -> u64 {
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap()
}

/// Returns the CPU time of the reader threads.
fn reader_time() -> Duration {
    let is_reader = |task: &std::path::Path| {
        std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.trim() == READER)
    };
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    // The first number is the CPU time in nanoseconds.
    let times = tasks.filter(|task| is_reader(task)).map(|task| {
        let schedule = std::fs::read_to_string(task.join("schedstat")).unwrap();
        schedule.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    });
    Duration::from_nanos(times.sum())
}
