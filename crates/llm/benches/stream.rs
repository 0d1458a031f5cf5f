//! What a chunk costs on its way from the socket to whoever reads it, alone and in a crowd.
//!
//! A server in a thread of its own writes chunks at a steady pace, each with the moment at which it was written. The
//! delay is measured where it arrives: once as a chunk of our stream, once as bytes of a plain socket, which is the
//! limit of the machine. A crowd that falls behind shows in the delay, and in chunks that did not arrive in time.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints, and stops at the first surprise"
)]

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tarsy_domain::Message;
use tarsy_llm::{
    Chunk, Model, ModelRequest, NativeTools, Origin, Settings, Tags, Thinking, Timeouts, Vendor,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

const CHUNKS_PER_SECOND: u64 = 100;
const SECONDS: u64 = 5;
const CHUNKS: usize = (CHUNKS_PER_SECOND * SECONDS) as usize;
const CROWDS: [usize; 4] = [1, 10, 100, 1_000];

fn main() {
    begin();
    let address = start_server();
    println!(
        "{CHUNKS_PER_SECOND} chunks a second in each stream, for {SECONDS} s; delay from the server's write to the reader\n"
    );
    println!(
        "{:>8}  {:>26}  {:>26}  {:>9}",
        "streams", "plain socket p50 / p99", "our chunks p50 / p99", "CPU, ours"
    );
    for streams in CROWDS {
        let plain = measure(streams, move |_| Box::pin(read_plain(address)));
        let model = model_at(address);
        let began = cpu_time();
        let ours = measure(streams, move |_| Box::pin(read_chunks(Arc::clone(&model))));
        let cpu = (cpu_time() - began).as_secs_f64() / (SECONDS as f64) * 100.0;
        println!("{streams:>8}  {:>26}  {:>26}  {cpu:>7.0} %", plain.show(), ours.show());
        assert_eq!(ours.arrived, streams * CHUNKS, "chunks were lost");
    }
}

type Reading = std::pin::Pin<Box<dyn Future<Output = Vec<u64>> + Send>>;

struct Delays {
    sorted: Vec<u64>,
    arrived: usize,
}

impl Delays {
    fn show(&self) -> String {
        let at = |share: f64| self.sorted[((self.sorted.len() - 1) as f64 * share) as usize] as f64 / 1000.0;
        format!("{:.0} µs / {:.0} µs", at(0.5), at(0.99))
    }
}

/// Runs readers at the same time and gathers all their delays.
fn measure(streams: usize, read: impl Fn(usize) -> Reading) -> Delays {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let sorted = runtime.block_on(async {
        let readers: Vec<_> = (0..streams).map(|number| tokio::spawn(read(number))).collect();
        let mut all = Vec::new();
        for reader in readers {
            all.extend(reader.await.unwrap());
        }
        all.sort_unstable();
        all
    });
    Delays { arrived: sorted.len(), sorted }
}

async fn read_chunks(model: Arc<dyn Model>) -> Vec<u64> {
    let request = ModelRequest {
        messages: vec![Arc::new(Message::user("Count."))],
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags: Tags::default(),
    };
    let mut reply = model.stream(request);
    let mut delays = Vec::with_capacity(CHUNKS);
    while let Some(chunk) = reply.next().await {
        if let Chunk::Text(text) = chunk.unwrap() {
            delays.push(since_begin() - text.trim().parse::<u64>().unwrap());
        }
    }
    delays
}

async fn read_plain(address: std::net::SocketAddr) -> Vec<u64> {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(b"POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n").await.unwrap();
    let (mut bytes, mut delays) = (Vec::new(), Vec::with_capacity(CHUNKS));
    while socket.read_buf(&mut bytes).await.unwrap() > 0 {
        let now = since_begin();
        let text = String::from_utf8_lossy(&bytes);
        let written = text.split("\"content\":\" ").skip(1).filter_map(|rest| rest.split('"').next());
        delays.extend(written.filter_map(|written| written.parse::<u64>().ok()).map(|written| now - written));
        bytes.clear();
    }
    delays
}

fn model_at(address: std::net::SocketAddr) -> Arc<dyn Model> {
    let settings = Settings {
        origin: Origin { provider: "local".to_owned(), model: "counting".to_owned() },
        base_url: Url::parse(&format!("http://{address}/")).unwrap(),
        api_key: None,
        temperature: None,
        max_output_tokens: None,
        thinking: Thinking::default(),
        timeouts: Timeouts::default(),
        verify_tls: true,
    };
    Vendor::OpenAiCompatible.model(settings).unwrap()
}

fn start_server() -> std::net::SocketAddr {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket));
            }
        });
    });
    told.recv().unwrap()
}

/// Answers one request with chunks that hold the moment at which they were written.
async fn serve(mut socket: TcpStream) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut request = vec![0; 64 * 1024];
    let _ = socket.read(&mut request).await?;
    socket
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        .await?;
    let mut pace = tokio::time::interval(Duration::from_millis(1000 / CHUNKS_PER_SECOND));
    for _ in 0..CHUNKS {
        pace.tick().await;
        let chunk = format!(
            "data: {{\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\" {}\"}},\"finish_reason\":null}}]}}\n\n",
            since_begin()
        );
        socket.write_all(chunk.as_bytes()).await?;
    }
    let end =
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    socket.write_all(end.as_bytes()).await?;
    socket.shutdown().await
}

static BEGIN: OnceLock<Instant> = OnceLock::new();

fn begin() {
    BEGIN.get_or_init(Instant::now);
}

/// Nanoseconds since the benchmark began.
fn since_begin() -> u64 {
    u64::try_from(BEGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap()
}

/// Time that this process has spent on all processors, the server included.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}
