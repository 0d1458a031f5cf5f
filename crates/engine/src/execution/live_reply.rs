//! A model's reply while it is streamed to clients. The record does not depend on it.

use std::time::Duration;

use tarsy_domain::{InteractionId, LivePart};
use tarsy_llm::Chunk;
use tarsy_store::{LiveText, LiveTextScope, Store};
use tokio::time::Instant;

use crate::execution::driver::rounded;

/// Interval at which clients are notified of a reply that has not started.
const NOTICE_INTERVAL: Duration = Duration::from_secs(30);

/// A reply in progress. Clients stop seeing it when this is dropped: by then it is recorded, or was given up.
pub(crate) struct LiveReply<'a> {
    store: &'a Store,
    place: LiveTextScope,
    thinking: Option<LiveText>,
    text: Option<LiveText>,
    /// How long the model has been processing the prompt.
    progress: Option<LiveText>,
    began: Instant,
    /// When clients are notified next; `None` once the reply has started.
    notice_at: Option<Instant>,
}

impl<'a> LiveReply<'a> {
    /// Creates a reply without text.
    pub(crate) fn new(store: &'a Store, place: LiveTextScope) -> Self {
        let began = Instant::now();
        let notice_at = Some(began + NOTICE_INTERVAL);
        Self { store, place, thinking: None, text: None, progress: None, began, notice_at }
    }

    /// Returns when to call [`LiveReply::show_waiting`], if the reply has not started before.
    pub(crate) fn next_notice_at(&self) -> Option<Instant> {
        self.notice_at
    }

    /// Notifies clients that the reply has not started.
    pub(crate) fn show_waiting(&mut self) {
        // With an id of its own: the end of a text ends all texts of its id.
        let (store, place) =
            (self.store, LiveTextScope { interaction_id: InteractionId::new(), ..self.place });
        let progress = self.progress.get_or_insert_with(|| store.live_text(place, LivePart::ModelProgress));
        progress.restart(&format!("Processing the prompt, {}", rounded(self.began.elapsed())));
        self.notice_at = Some(Instant::now() + NOTICE_INTERVAL);
    }

    /// Sends a chunk to clients.
    pub(crate) fn show(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Text(delta) => {
                self.end_waiting();
                self.text.get_or_insert_with(|| self.store.live_text(self.place, LivePart::Text)).add(delta);
            }
            Chunk::Thinking(delta) => {
                self.end_waiting();
                let begin = || self.store.live_text(self.place, LivePart::Thinking);
                self.thinking.get_or_insert_with(begin).add(delta);
            }
            Chunk::From(_) => self.start_over(),
            Chunk::Fallback { .. } => self.begin_waiting(),
            Chunk::ToolCall(_) | Chunk::CodeExecution(_) | Chunk::Grounding(_) => self.end_waiting(),
            Chunk::CutOff | Chunk::Usage(_) | Chunk::State(_) => {}
        }
    }

    /// Starts the time of the next model.
    fn begin_waiting(&mut self) {
        self.began = Instant::now();
        self.progress = None;
        self.notice_at = Some(self.began + NOTICE_INTERVAL);
    }

    fn end_waiting(&mut self) {
        self.progress = None;
        self.notice_at = None;
    }

    /// Discards the text of the previous attempt when another attempt starts.
    fn start_over(&self) {
        for text in [&self.thinking, &self.text].into_iter().flatten() {
            text.restart("");
        }
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::{ExecutionId, SessionId};
    use tarsy_testkit::TestDatabase;

    use super::*;

    #[tokio::test]
    async fn clients_see_how_long_the_prompt_is_processed_until_the_reply_starts() {
        let database = TestDatabase::sqlite().await;
        tokio::time::pause();
        let session_id = SessionId::new();
        let place = LiveTextScope {
            session_id,
            stage_id: None,
            execution_id: ExecutionId::new(),
            interaction_id: InteractionId::new(),
        };
        let mut watch = database.store.session_subscribe(session_id);
        let mut live = LiveReply::new(&database.store, place);
        for expected in ["30 s", "60 s", "90 s", "2 min"] {
            tokio::time::advance(NOTICE_INTERVAL).await;
            assert!(live.next_notice_at().is_some_and(|at| at <= Instant::now()));
            live.show_waiting();
            let (texts, _) = watch.take();
            let [shown] = &texts[..] else { panic!("{texts:?}") };
            assert_eq!((shown.part, shown.from_start), (LivePart::ModelProgress, true));
            assert_eq!(shown.text, format!("Processing the prompt, {expected}"));
        }
        live.show(&Chunk::Text("It is".to_owned()));
        let (texts, ended) = watch.take();
        assert_eq!((live.next_notice_at(), ended.len()), (None, 1));
        assert_eq!(texts.iter().map(|text| text.part).collect::<Vec<_>>(), [LivePart::Text]);
    }
}
