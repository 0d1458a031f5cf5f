//! `llm.v1`: our client with our server yields the same chunks as the model itself.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::peer::{Peer, SOON, ScriptedResponse, Then};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tarsy_domain::{Message, ModelCatalog, ModelFailureKind, Secret, TokenUsage};
use tarsy_llm::{
    Chunk, ChunkStream, Fallback, GrpcModel, GrpcSettings, Model, ModelError, ModelRequest, ModelSelection,
    ModelService, NativeTools, Origin, RemoteModel, ReplayModel, ReplayPace, RetryPolicy, Retrying,
    SelectionError, Settings, Tags, Thinking, Timeouts, Vendor, collect,
};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

const CASSETTE: &str = r#"
cassette: 1
agents:
  Agent:
    - chunks:
        - usage: { input_tokens: 7, output_tokens: 1 }
        - thinking: Hm.
        - text: "Grüße "
        - text: aus dem Netz
        - tool_call: { id: a, name: k8s.pods, arguments: '{"b" : 1}' }
        - usage: { input_tokens: 7, output_tokens: 5, thinking_tokens: 3, cached_tokens: 2 }
        - code_execution: { code: print(1), result: "1" }
        - grounding: { queries: [q], sources: [{ uri: u, title: t }] }
        - state: '{"signature":"c2ln"}'
    - chunks: [{ text: Half }]
      error: { kind: rate_limit, message: Too many requests. }
"#;

async fn serve(model: Arc<dyn Model>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = ModelService::new(move |asked: &ModelSelection| match asked.provider.as_str() {
        "google" => Ok(Arc::clone(&model)),
        other => Err(SelectionError(format!("there is no provider `{other}`, only: google"))),
    });
    let server = Server::builder().add_service(service.into_server());
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    address
}

fn client(address: SocketAddr, provider: &str) -> GrpcModel {
    let remote = RemoteModel { provider: provider.to_owned(), ..RemoteModel::default() };
    GrpcModel::new(GrpcSettings { remote, ..settings(address) }).unwrap()
}

fn settings(address: SocketAddr) -> GrpcSettings {
    GrpcSettings {
        origin: Origin { provider: "remote".to_owned(), model: "m".to_owned() },
        address: Secret::new(format!("http://{address}")),
        remote: RemoteModel { provider: "google".to_owned(), ..RemoteModel::default() },
        timeouts: Timeouts::default(),
    }
}

/// A model whose reply is a function of the request.
struct Scripted<F>(F);

impl<F: Fn(ModelRequest) -> ChunkStream + Send + Sync> Model for Scripted<F> {
    fn origin(&self) -> Origin {
        Origin { provider: "scripted".to_owned(), model: "s".to_owned() }
    }

    fn stream(&self, request: ModelRequest) -> ChunkStream {
        (self.0)(request)
    }
}

fn scripted(answer: impl Fn(ModelRequest) -> ChunkStream + Send + Sync + 'static) -> Arc<dyn Model> {
    Arc::new(Scripted(answer))
}

fn asked() -> Result<Chunk, ModelError> {
    Ok(Chunk::From(Origin { provider: "scripted".to_owned(), model: "s".to_owned() }))
}

fn text(text: &str) -> Result<Chunk, ModelError> {
    Ok(Chunk::Text(text.to_owned()))
}

fn replay() -> Arc<dyn Model> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(CASSETTE.as_bytes()).unwrap();
    Arc::new(ReplayModel::open("demo", file.path(), ReplayPace::Immediate).unwrap())
}

fn request(turn: u32) -> ModelRequest {
    ModelRequest {
        stop_sequences: &[],
        messages: vec![Arc::new(Message::user("Why?"))],
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags: Tags { agent: "Agent".to_owned(), turn, ..Tags::default() },
    }
}

/// Returns all chunks except the origin.
async fn parts(model: &dyn Model, request: ModelRequest) -> Vec<Result<Chunk, ModelError>> {
    let parts: Vec<_> = model.stream(request).collect().await;
    parts.into_iter().filter(|part| !matches!(part, Ok(Chunk::From(_)))).collect()
}

/// Returns the state as a client stores it, with the state of the service as text.
fn kept(state: &str) -> Result<Chunk, ModelError> {
    let kept = json!({"wire": "grpc", "provider": "remote", "model": "m", "native": state});
    Ok(Chunk::State(kept.to_string()))
}

/// Sorts the keys of a state.
fn in_order(part: Result<Chunk, ModelError>) -> Result<Chunk, ModelError> {
    match part {
        Ok(Chunk::State(state)) => {
            Ok(Chunk::State(serde_json::from_str::<Value>(&state).unwrap().to_string()))
        }
        other => other,
    }
}

/// Converts a reply to what a client receives: the same chunks in the same order, the last usage once, after
/// the chunks that every peer knows, and the state in its stored form. A reply that broke off is not retryable.
fn as_promised(parts: Vec<Result<Chunk, ModelError>>) -> Vec<Result<Chunk, ModelError>> {
    let (usages, mut promised): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|part| matches!(part, Ok(Chunk::Usage(_))));
    let end = promised.iter().position(|part| matches!(part, Ok(Chunk::State(_)) | Err(_)));
    let end = end.unwrap_or(promised.len());
    match promised.get(end) {
        Some(Ok(Chunk::State(state))) => promised[end] = kept(state),
        Some(Err(error)) => promised[end] = Err(error.clone().exhausted(true)),
        Some(Ok(_)) | None => {}
    }
    promised.splice(end..end, usages.into_iter().last());
    promised
}

#[tokio::test]
async fn chunks_equal_those_of_the_model_with_the_usage_last() {
    let model = replay();
    let remote = client(serve(Arc::clone(&model)).await, "google");
    for turn in [1, 2] {
        let got: Vec<_> = parts(&remote, request(turn)).await.into_iter().map(in_order).collect();
        assert_eq!(got, as_promised(parts(&*model, request(turn)).await));
    }
}

#[tokio::test]
async fn cancelling_a_call_cancels_the_request_to_the_vendor() {
    let hello = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n";
    let peer = Peer::start([ScriptedResponse::stream(hello.as_bytes(), 4096).then(Then::Repeat)]).await;
    let vendor = Vendor::OpenAiCompatible.model(Settings {
        origin: Origin { provider: "vendor".to_owned(), model: "m".to_owned() },
        base_url: peer.url.clone(),
        api_key: None,
        temperature: None,
        max_output_tokens: None,
        thinking: Thinking::default(),
        timeouts: Timeouts::default(),
        models: ModelCatalog::default(),
        verify_tls: true,
    });
    let mut reply = client(serve(vendor.unwrap()).await, "google").stream(request(1));
    while !matches!(reply.next().await, Some(Ok(Chunk::Text(_)))) {}
    drop(reply);
    timeout(SOON, peer.next_hang_up()).await.unwrap();
}

#[tokio::test]
async fn a_service_receives_only_its_own_state() {
    let own = " any text: {\"signature\":\"c2ln\"}";
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let model = scripted(move |request| {
        let states = request.messages.iter().map(|message| message.provider_state.clone());
        keep.lock().unwrap().push(states.collect::<Vec<_>>());
        stream::iter([text("Here."), Ok(Chunk::State(own.to_owned()))]).boxed()
    });
    let remote = client(serve(model).await, "google");
    let reply = collect(remote.stream(request(1))).await.unwrap().reply;
    let of = |state: Option<String>| {
        Arc::new(Message { provider_state: state, ..Message::assistant("I said so.") })
    };
    let vendors = r#"{"wire":"anthropic","provider":"claude","model":"m","native":[{"type":"thinking"}]}"#;
    let others = r#"{"wire":"grpc","provider":"another","model":"m","native":"x"}"#;
    let states =
        [reply.provider_state, Some(vendors.to_owned()), Some(others.to_owned()), Some("x".to_owned())];
    let messages = states.into_iter().map(of).collect();
    collect(remote.stream(ModelRequest { messages, ..request(2) })).await.unwrap();
    assert_eq!(seen.lock().unwrap()[1], [Some(own.to_owned()), None, None, None]);
}

/// Returns a failing model with retries on both sides of a service, and the counter of its calls.
async fn overloaded_behind_a_service() -> (Arc<dyn Model>, Arc<AtomicUsize>) {
    let policy = RetryPolicy { initial_pause: Duration::from_millis(1), ..RetryPolicy::default() };
    let times_asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&times_asked);
    let overloaded = scripted(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        stream::iter([asked(), Err(ModelError::new(ModelFailureKind::Overloaded, "Too much."))]).boxed()
    });
    let address = serve(Arc::new(Retrying::new(overloaded, policy))).await;
    (Arc::new(Retrying::new(Arc::new(client(address, "google")), policy)), times_asked)
}

#[tokio::test]
async fn errors_that_the_service_retried_are_not_retried() {
    let (model, times_asked) = overloaded_behind_a_service().await;
    let parts = parts(&*model, request(1)).await;
    let [Err(error)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!(error.failure.kind, ModelFailureKind::Overloaded);
    assert_eq!(times_asked.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn the_fallback_is_used_after_the_service_gave_up() {
    let (model, _) = overloaded_behind_a_service().await;
    let other = scripted(|_| stream::iter([asked(), text("Here.")]).boxed());
    let parts = parts(&Fallback::new(model, vec![other]), request(1)).await;
    assert!(matches!(&parts[..], [Ok(Chunk::Fallback { .. }), Ok(Chunk::Text(_))]), "{parts:?}");
}

#[tokio::test]
async fn an_unknown_provider_is_rejected_with_the_known_ones() {
    let remote = client(serve(replay()).await, "unknown");
    let parts = parts(&remote, request(1)).await;
    let [Err(error)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!(error.failure.kind, ModelFailureKind::InvalidRequest);
    assert_eq!(error.to_string(), "there is no provider `unknown`, only: google");
}

#[tokio::test]
async fn an_unreachable_service_is_a_network_failure() {
    let unused = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let parts = parts(&client(unused, "google"), request(1)).await;
    let [Err(error)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!(error.failure.kind, ModelFailureKind::Network);
    let said = error.to_string();
    assert!(
        said.starts_with("the connection to the model service failed: ") && said.contains("refused"),
        "{said}"
    );
}

#[test]
fn a_model_can_be_created_outside_a_runtime() {
    let unused = "127.0.0.1:1".parse().unwrap();
    assert_eq!(client(unused, "google").origin().model, "m");
}

fn timeouts(first_chunk_ms: u64, stall_ms: u64) -> Timeouts {
    Timeouts {
        first_chunk: Duration::from_millis(first_chunk_ms),
        stall: Duration::from_millis(stall_ms),
        ..Timeouts::default()
    }
}

/// Yields the origin repeatedly, with a delay before each.
fn attempts(count: usize, pause_ms: u64) -> ChunkStream {
    let pause = Duration::from_millis(pause_ms);
    stream::iter(0..count)
        .then(move |_| async move {
            tokio::time::sleep(pause).await;
            asked()
        })
        .boxed()
}

#[tokio::test]
async fn the_first_chunk_has_its_own_timeout() {
    let slow =
        |_| stream::iter([asked()]).chain(attempts(1, 600)).chain(stream::iter([text("At last.")])).boxed();
    let settings = GrpcSettings { timeouts: timeouts(20_000, 200), ..settings(serve(scripted(slow)).await) };
    let parts = parts(&GrpcModel::new(settings).unwrap(), request(1)).await;
    assert_eq!(parts, [text("At last.")]);
}

#[tokio::test]
async fn origins_do_not_count_as_a_reply() {
    let settings = GrpcSettings {
        timeouts: timeouts(300, 20_000),
        ..settings(serve(scripted(|_| attempts(1_000, 50))).await)
    };
    let parts = parts(&GrpcModel::new(settings).unwrap(), request(1)).await;
    let [Err(error)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!(error.failure.kind, ModelFailureKind::Timeout);
    assert_eq!(error.to_string(), "no reply began within 0.3 s");
}

#[tokio::test]
async fn a_stalled_reply_is_a_timeout_with_the_partial_text() {
    let stuck = |_| stream::iter([asked(), text("Half")]).chain(stream::pending()).boxed();
    let settings = GrpcSettings { timeouts: timeouts(20_000, 200), ..settings(serve(scripted(stuck)).await) };
    let parts = parts(&GrpcModel::new(settings).unwrap(), request(1)).await;
    let [Ok(_), Err(error)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!(error.failure.kind, ModelFailureKind::Timeout);
    assert_eq!(
        (error.to_string().as_str(), error.failure.partial_text.as_str()),
        ("the reply paused for more than 0.2 s", "Half")
    );
}

#[tokio::test]
async fn an_https_address_uses_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Secret::new(format!("https://{}", listener.local_addr().unwrap()));
    let settings = GrpcSettings { address, ..settings(listener.local_addr().unwrap()) };
    let first_bytes = async {
        let mut bytes = [0; 2];
        listener.accept().await.unwrap().0.read_exact(&mut bytes).await.unwrap();
        drop(listener);
        bytes
    };
    let model = GrpcModel::new(settings).unwrap();
    let (first_bytes, parts) = tokio::join!(first_bytes, parts(&model, request(1)));
    assert_eq!(first_bytes, [0x16, 0x03], "a TLS handshake record");
    let [Err(error)] = &parts[..] else { panic!("{parts:?}") };
    assert_eq!(error.failure.kind, ModelFailureKind::Network, "{error}");
}

#[tokio::test]
async fn a_chunk_may_exceed_the_default_message_size() {
    let long = "x".repeat(5_000_000);
    let said = long.clone();
    let remote = client(serve(scripted(move |_| stream::iter([text(&said)]).boxed())).await, "google");
    assert!(parts(&remote, request(1)).await == [text(&long)]);
}

#[tokio::test]
async fn a_reply_without_text_or_calls_is_empty() {
    let usage = TokenUsage { input_tokens: 7, output_tokens: 1, ..TokenUsage::default() };
    let blank = move |_| {
        let chunks = [Ok(Chunk::Thinking("Hm.".to_owned())), text(" \n"), Ok(Chunk::Usage(usage))];
        stream::iter(chunks).boxed()
    };
    let nothing = |_| stream::iter([]).boxed();
    for (model, cost) in [(scripted(blank), usage), (scripted(nothing), TokenUsage::default())] {
        let error = collect(client(serve(model).await, "google").stream(request(1))).await.unwrap_err();
        assert_eq!(error.failure.kind, ModelFailureKind::EmptyReply);
        assert_eq!(error.failure.usage, cost);
        assert!(error.is_transient());
    }
}

/// Starts a service that records what clients select.
async fn recording_service() -> (SocketAddr, Arc<Mutex<Vec<ModelSelection>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let service = ModelService::new(move |selected: &ModelSelection| {
        keep.lock().unwrap().push(selected.clone());
        Ok(scripted(|_| stream::iter([asked(), text("Here.")]).boxed()))
    });
    let server = Server::builder().add_service(service.into_server());
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    (address, seen)
}

#[tokio::test]
async fn a_service_receives_the_whole_selection() {
    let (address, seen) = recording_service().await;
    let remote = RemoteModel {
        provider: "vertexai".to_owned(),
        api_key_env: "KEY".to_owned(),
        credentials_env: "CREDENTIALS".to_owned(),
        base_url: Some(Secret::new("https://vertex.example.com")),
        project: "shop".to_owned(),
        location: "europe-west4".to_owned(),
        backend: "google-native".to_owned(),
    };
    let model = GrpcModel::new(GrpcSettings { remote, ..settings(address) }).unwrap();
    collect(model.stream(request(1))).await.unwrap();
    let expected = ModelSelection {
        provider: "vertexai".to_owned(),
        model: "m".to_owned(),
        api_key_env: "KEY".to_owned(),
        base_url: "https://vertex.example.com".to_owned(),
        credentials_env: "CREDENTIALS".to_owned(),
        project: "shop".to_owned(),
        location: "europe-west4".to_owned(),
        backend: "google-native".to_owned(),
    };
    assert_eq!(*seen.lock().unwrap(), [expected]);
}

/// Calls a model that fails behind a service, and returns the error that the client gets.
async fn failure_behind_a_service(error: ModelError) -> ModelError {
    let model = scripted(move |_| stream::iter([asked(), Err(error.clone())]).boxed());
    collect(client(serve(model).await, "google").stream(request(1))).await.unwrap_err()
}

#[tokio::test]
async fn a_requested_delay_is_passed_on_and_recorded() {
    let limited = ModelError::new(ModelFailureKind::RateLimit, "Slow down.");
    let error = failure_behind_a_service(limited.retry_after(Some(Duration::from_secs(300)))).await;
    assert_eq!(error.delay(), Some(Duration::from_secs(300)));
    assert_eq!(error.failure.retry_after_ms, Some(300_000));
    assert!(error.is_transient(), "the service has not retried it");
}

#[tokio::test]
async fn only_failures_that_the_service_has_not_retried_are_retryable() {
    let busy = || ModelError::new(ModelFailureKind::Overloaded, "Too much.");
    assert!(failure_behind_a_service(busy()).await.is_transient());
    assert!(!failure_behind_a_service(busy().exhausted(true)).await.is_transient());
    let refused = ModelError::new(ModelFailureKind::Credentials, "No.");
    assert!(!failure_behind_a_service(refused).await.is_transient());
}
