//! Latency of the live stream: 200 concurrent replies, received by 500 clients over real connections.
//!
//! Each piece of text carries the time at which it was written; the clients, in another process, compute its
//! age. The baseline is plain TCP with the same pieces: no live buffers, no JSON, no WebSocket, one write per
//! piece and client. The last run adds a client that subscribes and never reads.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its results and fails by panicking"
)]

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tarsy_config::{Config, Environment};
use tarsy_domain::{ExecutionId, InteractionId, LivePart, Timestamp};
use tarsy_server::{AccessMode, AccessPolicy, App, Listening, WebhookAuth, router};
use tarsy_store::{LiveText, LiveTextScope, QueueLimit, Store};
use tarsy_testkit::{TestDatabase, new_session};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

const SESSIONS: usize = 200;
const CLIENTS: usize = 500;
const INTERVAL: Duration = Duration::from_millis(20);
const WARM_UP: Duration = Duration::from_secs(3);
const DURATION: Duration = Duration::from_secs(10);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if let Some(watched) = arguments.iter().position(|argument| argument == "watch") {
        let [address, sessions] = &arguments[watched + 1..=watched + 2] else { return };
        return runtime.block_on(watch(address.parse().unwrap(), sessions));
    }
    runtime.block_on(async {
        let rate = SESSIONS * 1000 / usize::try_from(INTERVAL.as_millis()).unwrap();
        println!(
            "{SESSIONS} replies, {rate} pieces/s together, {CLIENTS} clients, {:.0} s\n",
            DURATION.as_secs_f64()
        );
        println!("{:<30} {:>12} {:>10} {:>10} {:>10} {:>12}", "", "pieces/s", "p50", "p99", "longest", "CPU");
        plain().await;
        served("WebSockets", Stalled::None).await;
        served("plus a client that never reads", Stalled::One).await;
    });
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stalled {
    None,
    One,
}

async fn served(name: &str, stalled: Stalled) {
    let database = TestDatabase::sqlite().await;
    let scopes = open_sessions(&database.store).await;
    let config = Arc::new(Config::load(None, &Environment::default()).unwrap().config);
    let stop = CancellationToken::new();
    let policy = AccessPolicy { access: AccessMode::Open, webhooks: WebhookAuth::default() };
    let app = App::new(database.store.clone(), config, policy, "0", stop.clone()).unwrap();
    let listening = Listening::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listening.address;
    let serving = tokio::spawn(listening.serve(router(app), stop.clone()));
    let sessions: Vec<String> = scopes.iter().map(|scope| scope.session_id.to_string()).collect();
    let clients = Clients::start(address, &sessions.join(","));
    let texts: Vec<LiveText> =
        scopes.iter().map(|scope| database.store.live_text(*scope, LivePart::Text)).collect();
    let stuck = match stalled {
        Stalled::One => Some(subscribe(address, &sessions[0]).await),
        Stalled::None => None,
    };
    let writing = tokio::spawn(async move {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            texts.iter().for_each(|text| text.add(&piece()));
        }
    });
    clients.report(name).await;
    writing.abort();
    drop(stuck);
    stop.cancel();
    serving.await.unwrap();
    database.remove().await;
}

/// Sends the same pieces over plain TCP.
async fn plain() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clients = Clients::start(listener.local_addr().unwrap(), "plain");
    let mut sockets = Vec::new();
    for _ in 0..CLIENTS {
        let (socket, _) = listener.accept().await.unwrap();
        socket.set_nodelay(true).unwrap();
        sockets.push(socket);
    }
    let writing = tokio::spawn(async move {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            for socket in &mut sockets {
                if socket.write_all((piece() + "\n").as_bytes()).await.is_err() {
                    // The clients are done and have disconnected.
                    return;
                }
            }
        }
    });
    clients.report("plain TCP").await;
    writing.abort();
}

async fn open_sessions(store: &Store) -> Vec<LiveTextScope> {
    let mut scopes = Vec::new();
    for number in 0..SESSIONS {
        let session = new_session(&number.to_string());
        let session_id = session.session_id;
        store.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        scopes.push(LiveTextScope {
            session_id,
            stage_id: None,
            execution_id: ExecutionId::new(),
            interaction_id: InteractionId::new(),
        });
    }
    scopes
}

/// Returns a piece of text with the current time.
fn piece() -> String {
    format!("|{:016} the pod ran out of memory ", now_us())
}

fn now_us() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

/// The clients, in their own process.
struct Clients {
    process: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Clients {
    fn start(address: SocketAddr, sessions: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["watch", &address.to_string(), sessions])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    /// Waits for the result of the clients, and prints it with the CPU time of this process.
    async fn report(mut self, name: &str) {
        let spent = cpu_time();
        let line = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            self.process.wait().unwrap();
            line
        });
        let line = line.await.unwrap();
        let cpu = (cpu_time() - spent).as_secs_f64() / (WARM_UP + DURATION).as_secs_f64();
        println!("{name:<30} {} {:>9.0} %", line.trim_end(), 100.0 * cpu);
    }
}

/// Connects all clients and prints how old pieces were when they arrived.
async fn watch(address: SocketAddr, sessions: &str) {
    let sessions: Vec<String> = sessions.split(',').map(str::to_owned).collect();
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let session = sessions[number % sessions.len()].clone();
        clients.spawn(async move {
            if session == "plain" { receive_plain(address).await } else { receive(address, &session).await }
        });
    }
    let mut ages: Vec<u64> = clients.join_all().await.into_iter().flatten().collect();
    ages.sort_unstable();
    let at = |share: f64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let index = ((ages.len() - 1) as f64 * share).round() as usize;
        ages[index] as f64 / 1000.0
    };
    let rate = ages.len() as f64 / DURATION.as_secs_f64();
    println!("{rate:>12.0} {:>7.1} ms {:>7.1} ms {:>7.1} ms", at(0.5), at(0.99), at(1.0));
}

async fn receive(address: SocketAddr, session: &str) -> Vec<u64> {
    let mut socket = subscribe(address, session).await;
    let mut ages = Ages::start();
    while let Some(Ok(frame)) = socket.next().await {
        let Message::Text(json) = frame else { continue };
        let message: Value = serde_json::from_str(&json).unwrap();
        if message["type"] == "stream.chunk" && !ages.add(message["data"]["text"].as_str().unwrap()) {
            break;
        }
    }
    ages.seen
}

async fn receive_plain(address: SocketAddr) -> Vec<u64> {
    let stream = TcpStream::connect(address).await.unwrap();
    let mut lines = tokio::io::BufReader::new(stream).lines();
    let mut ages = Ages::start();
    while let Ok(Some(line)) = lines.next_line().await {
        if !ages.add(&line) {
            break;
        }
    }
    ages.seen
}

type Socket = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<TcpStream>>;

async fn subscribe(address: SocketAddr, session: &str) -> Socket {
    let (mut socket, _) = connect_async(format!("ws://{address}/api/v1/ws")).await.unwrap();
    let command = json!({ "action": "subscribe", "channel": format!("session:{session}") });
    socket.send(Message::text(command.to_string())).await.unwrap();
    socket
}

/// The ages of received pieces, after a warm-up.
struct Ages {
    started: std::time::Instant,
    seen: Vec<u64>,
}

impl Ages {
    fn start() -> Self {
        Self { started: std::time::Instant::now(), seen: Vec::new() }
    }

    /// Adds the pieces of a text. Returns false when the measurement is complete.
    fn add(&mut self, text: &str) -> bool {
        let (now, elapsed) = (now_us(), self.started.elapsed());
        if elapsed > WARM_UP {
            let pieces = text.split('|').filter_map(|piece| piece.get(..16)?.parse::<u64>().ok());
            self.seen.extend(pieces.map(|written| now.saturating_sub(written)));
        }
        elapsed < WARM_UP + DURATION
    }
}

/// Returns the CPU time of this process.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    Duration::from_millis(10 * (fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()))
}
