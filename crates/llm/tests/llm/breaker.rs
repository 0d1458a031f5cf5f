//! The circuit breaker of a provider, with a scripted model and a paused clock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{
    BreakerModel, BreakerPolicy, Chunk, ChunkStream, CircuitBreaker, Fallback, Model, ModelError,
    ModelRequest, NativeTools, Origin, RetryPolicy, Retrying, Tags, TimeLimited, collect,
};

const SECOND: Duration = Duration::from_secs(1);

/// A model that fails with a kind, replies, never replies, or never completes its reply.
#[derive(Clone)]
struct Provider {
    state: Arc<Mutex<Health>>,
    calls: Arc<AtomicUsize>,
}

#[derive(Clone, Copy)]
enum Health {
    Fails(ModelFailureKind),
    Replies,
    Hangs,
    Stalls,
}

impl Provider {
    fn new(health: Health) -> Self {
        Self { state: Arc::new(Mutex::new(health)), calls: Arc::default() }
    }

    fn becomes(&self, health: Health) {
        *self.state.lock().unwrap() = health;
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Returns the provider as it is called: with a breaker and the default policies.
    fn guarded(&self) -> Arc<dyn Model> {
        self.guarded_by(Arc::new(CircuitBreaker::new("down", BreakerPolicy::default())))
    }

    /// Returns the provider as agents call it: with a time limit, too.
    fn limited(&self, limit: Duration) -> Arc<dyn Model> {
        let breaker = Arc::new(CircuitBreaker::new("down", BreakerPolicy::default()));
        let model = self.guarded_by(Arc::clone(&breaker));
        Arc::new(TimeLimited::new(model, limit).with_breaker(Some(breaker)))
    }

    fn guarded_by(&self, breaker: Arc<CircuitBreaker>) -> Arc<dyn Model> {
        let model = BreakerModel::new(Arc::new(self.clone()), breaker);
        Arc::new(Retrying::new(Arc::new(model), RetryPolicy { jitter: false, ..RetryPolicy::default() }))
    }
}

impl Model for Provider {
    fn origin(&self) -> Origin {
        Origin { provider: "down".to_owned(), model: "m".to_owned() }
    }

    fn stream(&self, _: ModelRequest) -> ChunkStream {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let from = stream::iter([Ok(Chunk::From(self.origin()))]);
        match *self.state.lock().unwrap() {
            Health::Fails(kind) => from.chain(stream::iter([Err(ModelError::new(kind, "No."))])).boxed(),
            Health::Replies => from.chain(stream::iter([Ok(Chunk::Text("Here.".to_owned()))])).boxed(),
            Health::Hangs => from.chain(stream::pending()).boxed(),
            Health::Stalls => {
                let part = stream::iter([Ok(Chunk::Thinking("Hm".to_owned()))]);
                from.chain(part).chain(stream::pending()).boxed()
            }
        }
    }
}

fn request() -> ModelRequest {
    ModelRequest {
        messages: Vec::new(),
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        stop_sequences: &[],
        tags: Tags::default(),
    }
}

async fn failure(model: &Arc<dyn Model>) -> ModelError {
    collect(model.stream(request())).await.unwrap_err()
}

/// Lets two calls fail, which opens the breaker at the first attempt of the second call.
async fn open(provider: &Provider, model: &Arc<dyn Model>) {
    failure(model).await;
    let error = failure(model).await;
    assert_eq!((error.delay(), provider.calls()), (Some(30 * SECOND), 5));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_down_is_not_called() {
    let provider = Provider::new(Health::Fails(ModelFailureKind::Network));
    let model = provider.guarded();
    open(&provider, &model).await;
    for _ in 0..18 {
        let error = failure(&model).await;
        assert_eq!(error.failure.kind, ModelFailureKind::Overloaded);
        assert_eq!(error.failure.retry_after_ms, Some(30_000));
        let expected =
            "provider `down` failed 5 times in a row and is not called for 30 s; the last error: No.";
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(provider.calls(), 5, "20 calls would be 80 attempts");
}

#[tokio::test(start_paused = true)]
async fn the_pause_doubles_with_every_failed_probe() {
    let provider = Provider::new(Health::Fails(ModelFailureKind::Timeout));
    let model = provider.guarded();
    open(&provider, &model).await;
    let mut pause = 30 * SECOND;
    for expected in [60, 120, 120, 120] {
        tokio::time::advance(pause).await;
        let before = provider.calls();
        pause = failure(&model).await.delay().unwrap();
        assert_eq!((pause, provider.calls()), (expected * SECOND, before + 1), "one probe, without retries");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_to_a_probe_closes_the_breaker() {
    let provider = Provider::new(Health::Fails(ModelFailureKind::Overloaded));
    let model = provider.guarded();
    open(&provider, &model).await;
    provider.becomes(Health::Replies);
    tokio::time::advance(30 * SECOND).await;
    assert_eq!(collect(model.stream(request())).await.unwrap().reply.text, "Here.");
    provider.becomes(Health::Fails(ModelFailureKind::Overloaded));
    let before = provider.calls();
    failure(&model).await;
    assert_eq!(provider.calls(), before + 4, "all attempts are made again");
}

#[tokio::test(start_paused = true)]
async fn only_one_call_probes_a_provider() {
    let provider = Provider::new(Health::Fails(ModelFailureKind::Network));
    let model = provider.guarded();
    open(&provider, &model).await;
    provider.becomes(Health::Hangs);
    tokio::time::advance(30 * SECOND).await;
    let mut probe = model.stream(request());
    assert!(matches!(probe.next().await, Some(Ok(Chunk::From(_)))));
    let error = failure(&model).await;
    assert_eq!((error.failure.kind, provider.calls()), (ModelFailureKind::Overloaded, 6));
    // A probe that is abandoned, such as the call of a cancelled session, says nothing: the next call is the probe.
    drop(probe);
    provider.becomes(Health::Replies);
    collect(model.stream(request())).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn failures_of_a_provider_that_responds_do_not_count() {
    for kind in ModelFailureKind::ALL {
        let counts = matches!(
            kind,
            ModelFailureKind::Network | ModelFailureKind::Timeout | ModelFailureKind::Overloaded
        );
        let provider = Provider::new(Health::Fails(*kind));
        let model = provider.guarded();
        for _ in 0..20 {
            failure(&model).await;
        }
        assert_eq!(provider.calls() == 5, counts, "{kind}: {} calls", provider.calls());
    }
}

#[tokio::test(start_paused = true)]
async fn the_fallback_is_called_at_once_while_the_breaker_is_open() {
    let (down, other) =
        (Provider::new(Health::Fails(ModelFailureKind::Network)), Provider::new(Health::Replies));
    let model: Arc<dyn Model> = Arc::new(Fallback::new(down.guarded(), vec![other.guarded()]));
    for _ in 0..2 {
        collect(model.stream(request())).await.unwrap();
    }
    let begun = tokio::time::Instant::now();
    for _ in 0..18 {
        let assembly = collect(model.stream(request())).await.unwrap();
        assert_eq!((assembly.reply.text.as_str(), assembly.failed.len()), ("Here.", 1));
    }
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!((down.calls(), other.calls()), (5, 20));
}

#[tokio::test(start_paused = true)]
async fn a_breaker_can_be_disabled() {
    let provider = Provider::new(Health::Fails(ModelFailureKind::Network));
    let policy = BreakerPolicy { failures: 0, ..BreakerPolicy::default() };
    let breaker = Arc::new(CircuitBreaker::new("down", policy));
    let model: Arc<dyn Model> = Arc::new(BreakerModel::new(Arc::new(provider.clone()), breaker));
    for _ in 0..20 {
        failure(&model).await;
    }
    assert_eq!(provider.calls(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_responds_within_the_time_limit_is_not_called() {
    let provider = Provider::new(Health::Hangs);
    let model = provider.limited(360 * SECOND);
    for _ in 0..5 {
        assert_eq!(failure(&model).await.failure.kind, ModelFailureKind::Timeout);
    }
    assert_eq!(failure(&model).await.failure.kind, ModelFailureKind::Overloaded);
    // The probe hangs as well, and the pause doubles as after any other failed probe.
    tokio::time::advance(30 * SECOND).await;
    assert_eq!(failure(&model).await.failure.kind, ModelFailureKind::Timeout);
    let error = failure(&model).await;
    assert_eq!((error.delay(), provider.calls()), (Some(60 * SECOND), 6));
    tokio::time::advance(60 * SECOND).await;
    provider.becomes(Health::Replies);
    collect(model.stream(request())).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn cancelled_calls_and_replies_that_take_too_long_are_no_failures() {
    let provider = Provider::new(Health::Hangs);
    let model = provider.limited(360 * SECOND);
    for _ in 0..9 {
        let mut cancelled = model.stream(request());
        assert!(matches!(cancelled.next().await, Some(Ok(Chunk::From(_)))));
    }
    provider.becomes(Health::Stalls);
    for _ in 0..9 {
        assert_eq!(failure(&model).await.failure.kind, ModelFailureKind::Timeout);
    }
    assert_eq!(provider.calls(), 18);
}

#[tokio::test(start_paused = true)]
async fn calls_wait_longer_the_longer_a_probe_takes() {
    let provider = Provider::new(Health::Fails(ModelFailureKind::Network));
    let model = provider.guarded();
    open(&provider, &model).await;
    provider.becomes(Health::Hangs);
    tokio::time::advance(30 * SECOND).await;
    let mut probe = model.stream(request());
    assert!(matches!(probe.next().await, Some(Ok(Chunk::From(_)))));
    for (passed, expected) in [(0, 30), (20, 30), (40, 60), (60, 120)] {
        tokio::time::advance(passed * SECOND).await;
        assert_eq!(failure(&model).await.delay(), Some(expected * SECOND));
    }
}
