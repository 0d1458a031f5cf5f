//! Faults of providers: each one is classified correctly and within its timeout.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::peer::{Peer, SOON, ScriptedResponse, Then};
use futures_util::StreamExt;
use tarsy_domain::{Message, ModelCatalog, ModelFailureKind, Secret};
use tarsy_llm::{
    Assembly, Chunk, Fallback, Model, ModelError, ModelRequest, NativeTools, Origin, RepetitionGuard,
    RetryPolicy, Retrying, Settings, Tags, Thinking, Timeouts, Vendor, collect,
};
use tokio::time::timeout;
use url::Url;

const HELLO: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n";
const END: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
/// Short enough for a test, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_millis(400);

/// An event without content.
const ROLE: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";

fn model_at(url: &Url) -> Arc<dyn Model> {
    let timeouts = Timeouts { connect: PATIENCE, first_chunk: PATIENCE, stall: PATIENCE, total: SOON };
    model_with(url, timeouts)
}

fn model_with(url: &Url, timeouts: Timeouts) -> Arc<dyn Model> {
    Vendor::OpenAiCompatible.model(settings_of(url, timeouts)).unwrap()
}

fn settings_of(url: &Url, timeouts: Timeouts) -> Settings {
    Settings {
        origin: Origin { provider: "local".to_owned(), model: "small".to_owned() },
        base_url: url.clone(),
        api_key: None,
        temperature: None,
        max_output_tokens: None,
        thinking: Thinking::default(),
        timeouts,
        models: ModelCatalog::default(),
        verify_tls: true,
    }
}

fn request() -> ModelRequest {
    ModelRequest {
        stop_sequences: &[],
        messages: vec![Arc::new(Message::user("Say hello."))],
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        tags: Tags::default(),
    }
}

fn hello() -> ScriptedResponse {
    ScriptedResponse::stream(format!("{HELLO}{END}").as_bytes(), 4096)
}

async fn failure(answer: ScriptedResponse) -> ModelError {
    let peer = Peer::start([answer]).await;
    timeout(SOON, collect(model_at(&peer.url).stream(request()))).await.unwrap().unwrap_err()
}

/// Returns a policy with minimal delays.
fn without_delays() -> RetryPolicy {
    let moment = Duration::from_millis(1);
    RetryPolicy { initial_pause: moment, empty_reply_pause: moment, ..RetryPolicy::default() }
}

#[tokio::test]
async fn every_fault_is_classified() {
    let bad_json = format!("{HELLO}data: {{\"choices\": [\n\n");
    let bad_utf8 = [HELLO.as_bytes(), b"data: {\"x\": \"\xff\"}\n\n"].concat();
    let huge = format!("data: {{\"x\": \"{}\"}}\n\n", "x".repeat(10_000_000));
    let faults = [
        (
            ScriptedResponse::status(401, "{\"error\":{\"message\":\"bad key\"}}"),
            ModelFailureKind::Credentials,
        ),
        (ScriptedResponse::status(409, "{}"), ModelFailureKind::Overloaded),
        (ScriptedResponse::status(429, "{}"), ModelFailureKind::RateLimit),
        (ScriptedResponse::status(500, "oh no"), ModelFailureKind::Overloaded),
        (ScriptedResponse::stream(b"", 1).then(Then::Hang), ModelFailureKind::Timeout),
        (ScriptedResponse::stream(HELLO.as_bytes(), 4096).then(Then::Hang), ModelFailureKind::Timeout),
        (ScriptedResponse::stream(HELLO.as_bytes(), 4096).then(Then::Reset), ModelFailureKind::Network),
        (ScriptedResponse::stream(HELLO.as_bytes(), 4096), ModelFailureKind::Network),
        (ScriptedResponse::stream(END.as_bytes(), 4096), ModelFailureKind::EmptyReply),
        (ScriptedResponse::stream(bad_json.as_bytes(), 4096), ModelFailureKind::ProviderBug),
        (ScriptedResponse::stream(&bad_utf8, 4096), ModelFailureKind::ProviderBug),
        (ScriptedResponse::stream(huge.as_bytes(), 1 << 16), ModelFailureKind::ProviderBug),
    ];
    for (number, (answer, kind)) in faults.into_iter().enumerate() {
        let error = failure(answer).await;
        assert_eq!(error.failure.kind, kind, "fault {number}: {error}");
    }
}

/// Sends a request with custom timeouts.
async fn ask(answer: ScriptedResponse, timeouts: Timeouts) -> Result<Assembly, ModelError> {
    let peer = Peer::start([answer]).await;
    timeout(SOON, collect(model_with(&peer.url, timeouts).stream(request()))).await.unwrap()
}

#[tokio::test]
async fn a_reply_may_start_late_after_keep_alives() {
    let timeouts = Timeouts { stall: PATIENCE / 4, first_chunk: SOON, ..Timeouts::default() };
    let answer = ScriptedResponse::slow_stream(&[ROLE, &format!("{HELLO}{END}")], PATIENCE);
    assert_eq!(ask(answer, timeouts).await.unwrap().reply.text, "Hello");
}

#[tokio::test]
async fn keep_alives_do_not_count_as_a_reply() {
    let timeouts = Timeouts { first_chunk: PATIENCE, ..Timeouts::default() };
    for sign in [ROLE, ": ping\n\n"] {
        for pause in [PATIENCE / 20, Duration::ZERO] {
            let answer = ScriptedResponse::slow_stream(&[sign], pause).then(Then::Repeat);
            let failure = ask(answer, timeouts).await.unwrap_err().failure;
            assert_eq!(failure.kind, ModelFailureKind::Timeout);
            assert_eq!(failure.message, "no reply began within 0.4 s");
        }
    }
}

#[tokio::test]
async fn keep_alives_extend_a_started_reply() {
    let timeouts = Timeouts { stall: PATIENCE, ..Timeouts::default() };
    let pieces = [HELLO, ": ping\n\n", ": ping\n\n", ": ping\n\n", END];
    let answer = ScriptedResponse::slow_stream(&pieces, PATIENCE / 3);
    assert_eq!(ask(answer, timeouts).await.unwrap().reply.text, "Hello");
}

#[tokio::test]
async fn a_slow_tool_call_counts_as_a_started_reply() {
    let timeouts = Timeouts { first_chunk: PATIENCE, stall: PATIENCE, ..Timeouts::default() };
    let delta = |fields: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,{fields}}}]}}}}]}}\n\n")
    };
    let name = delta("\"id\":\"a\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}");
    let more = delta("\"function\":{\"arguments\":\" \"}");
    let pieces = [&name, &more, &more, &more, &more, &more, END];
    let reply = ask(ScriptedResponse::slow_stream(&pieces, PATIENCE / 3), timeouts).await.unwrap().reply;
    assert_eq!(reply.tool_calls[0].name, "look");
}

#[tokio::test]
async fn an_endless_reply_times_out() {
    let timeouts = Timeouts { total: PATIENCE, ..Timeouts::default() };
    for pause in [PATIENCE / 20, Duration::ZERO] {
        let answer = ScriptedResponse::slow_stream(&[HELLO], pause).then(Then::Repeat);
        let failure = ask(answer, timeouts).await.unwrap_err().failure;
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (ModelFailureKind::Timeout, "the reply took longer than 0.4 s")
        );
        assert!(failure.partial_text.starts_with("Hello"), "{failure:?}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_a_network_failure() {
    let gone = Peer::start([]).await.url.clone();
    let error = collect(model_at(&gone).stream(request())).await.unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::Network, "{error}");
}

#[tokio::test]
async fn a_broken_reply_carries_the_partial_text() {
    let error = failure(ScriptedResponse::stream(HELLO.as_bytes(), 4096).then(Then::Reset)).await;
    assert_eq!(error.failure.partial_text, "Hello");
}

#[tokio::test]
async fn endless_repetition_is_stopped() {
    let peer = Peer::start([ScriptedResponse::stream(HELLO.as_bytes(), 4096).then(Then::Repeat)]).await;
    let model = RepetitionGuard::new(model_at(&peer.url));
    let error = timeout(SOON, collect(model.stream(request()))).await.unwrap().unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::Repetition);
    assert!(error.failure.partial_text.starts_with("HelloHello"));
}

#[tokio::test]
async fn an_oversized_reply_is_stopped() {
    let counted: String = (0..100_000).map(|number| format!("{number} ")).collect();
    let event =
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{counted}\"}}}}]}}\n\n");
    let answer = ScriptedResponse::slow_stream(&[&event], Duration::ZERO).then(Then::Repeat);
    let failure = ask(answer, Timeouts::default()).await.unwrap_err().failure;
    assert_eq!(failure.kind, ModelFailureKind::ProviderBug);
    assert_eq!(failure.message, "the reply is longer than 67108864 bytes");
}

#[tokio::test]
async fn transient_failures_are_retried_three_times() {
    let busy = || ScriptedResponse::status(503, "{}");
    let peer = Peer::start([busy(), busy(), busy(), hello()]).await;
    let model = Retrying::new(model_at(&peer.url), without_delays());
    let answered = collect(model.stream(request())).await.unwrap();
    assert_eq!((answered.reply.text.as_str(), peer.requests().len()), ("Hello", 4));

    let peer = Peer::start([busy(), busy(), busy(), busy(), hello()]).await;
    let model = Retrying::new(model_at(&peer.url), without_delays());
    collect(model.stream(request())).await.unwrap_err();
    assert_eq!(peer.requests().len(), 4);
}

#[tokio::test]
async fn empty_replies_are_retried_three_times() {
    let empty = || ScriptedResponse::stream(END.as_bytes(), 4096);
    let peer = Peer::start([empty(), empty(), empty(), hello()]).await;
    let model = Retrying::new(model_at(&peer.url), without_delays());
    assert_eq!(collect(model.stream(request())).await.unwrap().reply.text, "Hello");

    let peer = Peer::start([empty(), empty(), empty(), empty(), hello()]).await;
    let model = Retrying::new(model_at(&peer.url), without_delays());
    let error = collect(model.stream(request())).await.unwrap_err();
    assert_eq!((error.failure.kind, peer.requests().len()), (ModelFailureKind::EmptyReply, 4));
}

/// A reply that contains only usage.
fn usage_only(then: Then) -> ScriptedResponse {
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":1}}\n\n";
    let end = if then == Then::End { END } else { "" };
    ScriptedResponse::stream(format!("{usage}{end}").as_bytes(), 4096).then(then)
}

#[tokio::test]
async fn a_reply_with_only_usage_is_retried() {
    let peer = Peer::start([usage_only(Then::End), usage_only(Then::Reset), hello()]).await;
    let model = Retrying::new(model_at(&peer.url), without_delays());
    assert_eq!(collect(model.stream(request())).await.unwrap().reply.text, "Hello");
}

#[tokio::test]
async fn the_fallback_replaces_a_reply_with_only_usage() {
    let (broken, sound) = (Peer::start([usage_only(Then::Reset)]).await, Peer::start([hello()]).await);
    let model = Fallback::new(model_at(&broken.url), vec![model_at(&sound.url)]);
    assert_eq!(collect(model.stream(request())).await.unwrap().reply.text, "Hello");
}

#[tokio::test]
async fn permanent_failures_are_not_retried() {
    for status in [400, 401, 404] {
        let peer = Peer::start([ScriptedResponse::status(status, "{}"), hello()]).await;
        let model = Retrying::new(model_at(&peer.url), without_delays());
        collect(model.stream(request())).await.unwrap_err();
        assert_eq!(peer.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_call_is_not_retried_after_a_chunk_was_yielded() {
    let peer =
        Peer::start([ScriptedResponse::stream(HELLO.as_bytes(), 4096).then(Then::Reset), hello()]).await;
    let model = Retrying::new(model_at(&peer.url), without_delays());
    collect(model.stream(request())).await.unwrap_err();
    assert_eq!(peer.requests().len(), 1);
}

#[tokio::test]
async fn retry_after_is_respected() {
    let peer = Peer::start([ScriptedResponse::status(429, "{}").header("retry-after", "1"), hello()]).await;
    let model = Retrying::new(model_at(&peer.url), without_delays());
    let begun = Instant::now();
    assert_eq!(collect(model.stream(request())).await.unwrap().reply.text, "Hello");
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn an_excessive_retry_after_ends_the_call() {
    let peer =
        Peer::start([ScriptedResponse::status(429, "{}").header("retry-after", "3600"), hello()]).await;
    let model = Retrying::new(model_at(&peer.url), without_delays());
    let error = timeout(SOON, collect(model.stream(request()))).await.unwrap().unwrap_err();
    assert_eq!((error.failure.kind, peer.requests().len()), (ModelFailureKind::RateLimit, 1));
}

#[tokio::test]
async fn an_excessive_retry_after_is_part_of_the_recorded_failure() {
    let answer = ScriptedResponse::status(429, "{}").header("retry-after", "3600");
    assert_eq!(failure(answer).await.failure.retry_after_ms, Some(3_600_000));
}

#[tokio::test]
async fn a_key_is_removed_from_errors_unless_it_is_too_short_to_be_a_secret() {
    let message = "the key sk-12345 of project x is not valid";
    let body = format!("{{\"error\":{{\"message\":\"{message}\"}}}}");
    let in_stream = format!("data: {body}\n\n");
    for answer in [ScriptedResponse::status(401, &body), ScriptedResponse::stream(in_stream.as_bytes(), 4096)]
    {
        for (key, expected) in
            [("sk-12345", "the key [hidden] of project x"), ("x", message), ("sk-1234", message)]
        {
            let peer = Peer::start([answer.clone()]).await;
            let settings =
                Settings { api_key: Some(Secret::new(key)), ..settings_of(&peer.url, Timeouts::default()) };
            let model = Vendor::OpenAiCompatible.model(settings).unwrap();
            let error = collect(model.stream(request())).await.unwrap_err();
            assert!(error.failure.message.contains(expected), "{key}: {error}");
        }
    }
}

/// A connection that is idle for minutes must not die unnoticed. The kernel lists its pending timer.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connections_are_probed_while_the_reply_has_not_started() {
    let peer = Peer::start([ScriptedResponse::stream(b"", 1).then(Then::Hang)]).await;
    let mut reply = model_with(&peer.url, Timeouts::default()).stream(request());
    let port = format!(":{:04X}", peer.url.port().unwrap());
    let is_probed = || {
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        table.lines().any(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            // Columns: local address, remote address, state, queues, timer; timer 02 is the keepalive timer.
            columns.get(2).is_some_and(|remote| remote.ends_with(&port))
                && columns.get(5).is_some_and(|timer| timer.starts_with("02:"))
        })
    };
    let waiting = async {
        loop {
            tokio::select! {
                chunk = reply.next() => assert!(matches!(chunk, Some(Ok(Chunk::From(_)))), "{chunk:?}"),
                () = tokio::task::yield_now() => if is_probed() { return },
            }
        }
    };
    timeout(SOON, waiting).await.unwrap();
}

#[tokio::test]
async fn the_fallback_replies_and_the_failure_is_reported() {
    let broken = Peer::start([ScriptedResponse::status(401, "{\"error\":{\"message\":\"bad key\"}}")]).await;
    let sound = Peer::start([hello()]).await;
    let model = Fallback::new(model_at(&broken.url), vec![model_at(&sound.url)]);
    let answered = collect(model.stream(request())).await.unwrap();
    assert_eq!(answered.reply.text, "Hello");
    let [(_, failure)] = &answered.failed[..] else { panic!("{:?}", answered.failed) };
    assert_eq!(failure.kind, ModelFailureKind::Credentials);
}

#[tokio::test]
async fn dropping_a_reply_closes_the_connection() {
    let peer = Peer::start([ScriptedResponse::stream(HELLO.as_bytes(), 4096).then(Then::Repeat)]).await;
    let mut reply = model_at(&peer.url).stream(request());
    while !matches!(reply.next().await, Some(Ok(Chunk::Text(_)))) {}
    drop(reply);
    timeout(SOON, peer.next_hang_up()).await.unwrap();
}

#[tokio::test]
async fn no_fault_leaks_a_connection() {
    let faults = || {
        let stream = |body: &str| ScriptedResponse::stream(body.as_bytes(), 4096);
        [
            ScriptedResponse::status(500, "oh no"),
            ScriptedResponse::stream(b"", 1).then(Then::Hang),
            stream(HELLO).then(Then::Hang),
            stream(HELLO).then(Then::Reset),
            stream(HELLO).then(Then::Repeat),
            stream("data: {\n\n").then(Then::Hang),
        ]
    };
    let moment = Duration::from_millis(50);
    let timeouts = Timeouts { connect: SOON, first_chunk: moment, stall: moment, total: moment * 2 };
    let rounds = 10;
    let peer = Peer::start((0..rounds).flat_map(|_| faults())).await;
    let model = model_with(&peer.url, timeouts);
    let metrics = tokio::runtime::Handle::current().metrics();
    let before = metrics.num_alive_tasks();
    for _ in 0..rounds * faults().len() {
        timeout(SOON, collect(model.stream(request()))).await.unwrap().unwrap_err();
    }
    // Both ends of a connection are tasks here. A connection with a complete response may stay in the pool.
    let all_gone = async {
        while metrics.num_alive_tasks() > before + 2 {
            tokio::task::yield_now().await;
        }
    };
    timeout(SOON, all_gone).await.unwrap();
}
