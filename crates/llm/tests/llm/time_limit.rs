//! The time limit of a call with its retries, with a paused clock.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tarsy_domain::ModelFailureKind;
use tarsy_llm::{
    Chunk, ChunkStream, Fallback, Model, ModelError, ModelRequest, NativeTools, Origin, Tags, TimeLimited,
    collect,
};
use tokio::time::Instant;

/// A model whose reply starts after a delay, and continues endlessly if `endless` is set.
struct Slow {
    delay: Duration,
    endless: bool,
}

impl Model for Slow {
    fn origin(&self) -> Origin {
        Origin { provider: "slow".to_owned(), model: "m".to_owned() }
    }

    fn stream(&self, _: ModelRequest) -> ChunkStream {
        let delay = self.delay;
        let first = stream::once(async move {
            tokio::time::sleep(delay).await;
            Ok::<_, ModelError>(Chunk::Text("Here.".to_owned()))
        });
        let more =
            stream::repeat(Chunk::Text(".".to_owned())).take(if self.endless { usize::MAX } else { 0 });
        first.chain(more.map(Ok)).boxed()
    }
}

fn limited(delay: u64, limit: u64) -> Arc<dyn Model> {
    let slow = Slow { delay: Duration::from_secs(delay), endless: false };
    Arc::new(TimeLimited::new(Arc::new(slow), Duration::from_secs(limit)))
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

#[tokio::test(start_paused = true)]
async fn a_call_ends_with_its_time_limit() {
    assert_eq!(collect(limited(359, 360).stream(request())).await.unwrap().reply.text, "Here.");
    let error = collect(limited(361, 360).stream(request())).await.unwrap_err();
    assert_eq!(error.failure.kind, ModelFailureKind::Timeout);
    assert_eq!(error.to_string(), "the reply was not complete within the time limit of 360 s");
}

#[tokio::test(start_paused = true)]
async fn each_fallback_has_the_full_time() {
    let begun = Instant::now();
    let model = Fallback::new(limited(10_000, 360), vec![limited(300, 360)]);
    let assembly = collect(model.stream(request())).await.unwrap();
    assert_eq!((assembly.reply.text.as_str(), assembly.failed.len()), ("Here.", 1));
    assert_eq!(begun.elapsed().as_secs(), 660);
}

#[tokio::test]
async fn a_reply_that_never_pauses_ends_with_its_partial_text() {
    let endless = Slow { delay: Duration::ZERO, endless: true };
    let model = TimeLimited::new(Arc::new(endless), Duration::from_millis(50));
    let failure = collect(model.stream(request())).await.unwrap_err().failure;
    assert_eq!(failure.kind, ModelFailureKind::Timeout);
    assert!(failure.partial_text.starts_with("Here.."), "{failure:?}");
}
