//! Live state: streamed texts and changes reach all subscribers, in this and other processes, complete and in
//! order.

use std::collections::HashMap;
use std::time::Duration;

use proptest::prelude::*;
use tarsy_domain::{ExecutionId, InteractionId, LivePart, SessionId, Timestamp};
use tarsy_store::{ChangedSessions, LiveTextScope, QueueLimit, SessionSubscription, Store, SubmitOutcome};
use tarsy_testkit::{both_engines, new_session};

fn scope(session_id: SessionId) -> LiveTextScope {
    LiveTextScope {
        session_id,
        stage_id: None,
        execution_id: ExecutionId::new(),
        interaction_id: InteractionId::new(),
    }
}

/// A subscriber, and the texts it has assembled.
struct TextReader {
    subscription: SessionSubscription,
    texts: HashMap<InteractionId, String>,
}

impl TextReader {
    fn new(store: &Store, session_id: SessionId) -> Self {
        Self { subscription: store.session_subscribe(session_id), texts: HashMap::new() }
    }

    fn take(&mut self) {
        for delta in self.subscription.take().0 {
            let text = self.texts.entry(delta.scope.interaction_id).or_default();
            if delta.from_start {
                text.clear();
            }
            text.push_str(&delta.text);
        }
    }

    /// Reads until it has this text of an interaction.
    async fn until(&mut self, interaction_id: InteractionId, wanted: &str) {
        let reading = async {
            loop {
                self.take();
                if self.texts.get(&interaction_id).is_some_and(|text| text == wanted) {
                    return;
                }
                self.subscription.changed().await;
            }
        };
        let read = tokio::time::timeout(Duration::from_secs(20), reading).await;
        assert!(read.is_ok(), "{:?} instead of {wanted:?}", self.texts.get(&interaction_id));
    }
}

/// Returns the stores of two processes that exchange live state.
async fn two_processes(database: &tarsy_testkit::TestDatabase) -> (Store, Store) {
    let (here, there) = (database.store.clone(), database.another().await);
    for store in [here.clone(), there.clone()] {
        tokio::spawn(async move { store.listen().await });
    }
    (here, there)
}

both_engines! {
    async fn early_and_late_subscribers_receive_the_whole_text(database) {
        let (here, there) = two_processes(database).await;
        let session_id = SessionId::new();
        let mut early = TextReader::new(&there, session_id);
        let scope = scope(session_id);
        let text = here.live_text(scope, LivePart::Text);
        text.add("The pod ");
        early.until(scope.interaction_id, "The pod ").await;
        text.add("ran out of memory – ✗.");
        let whole = "The pod ran out of memory – ✗.";
        let mut late = TextReader::new(&there, session_id);
        late.until(scope.interaction_id, whole).await;
        early.until(scope.interaction_id, whole).await;
        let long = "x\n".repeat(30_000);
        text.restart(&long);
        late.until(scope.interaction_id, &long).await;
        TextReader::new(&there, session_id).until(scope.interaction_id, &long).await;
    }

    async fn thinking_and_text_are_separate_parts(database) {
        let (here, there) = two_processes(database).await;
        let scope = scope(SessionId::new());
        let mut subscription = there.session_subscribe(scope.session_id);
        let thinking = here.live_text(scope, LivePart::Thinking);
        let text = here.live_text(scope, LivePart::Text);
        thinking.add("Hm.");
        text.add("Yes.");
        let mut parts = Vec::new();
        while parts.len() < 2 {
            subscription.changed().await;
            parts.extend(subscription.take().0.into_iter().map(|delta| (delta.part, delta.text)));
        }
        parts.sort();
        assert_eq!(parts, [(LivePart::Thinking, "Hm.".to_owned()), (LivePart::Text, "Yes.".to_owned())]);
    }

    async fn a_text_ends_when_its_writer_is_dropped(database) {
        let (here, there) = two_processes(database).await;
        let scope = scope(SessionId::new());
        let mut reader = TextReader::new(&there, scope.session_id);
        let text = here.live_text(scope, LivePart::Text);
        text.add("Soon recorded.");
        reader.until(scope.interaction_id, "Soon recorded.").await;
        drop(text);
        // The end of a text is sent before the next text.
        let other = LiveTextScope { interaction_id: InteractionId::new(), ..scope };
        let next = here.live_text(other, LivePart::Text);
        next.add("Next.");
        let mut ended = Vec::new();
        while !ended.contains(&scope.interaction_id) {
            reader.subscription.changed().await;
            ended.extend(reader.subscription.take().1);
        }
        let mut late = TextReader::new(&there, scope.session_id);
        late.until(other.interaction_id, "Next.").await;
        assert_eq!(late.texts.into_values().collect::<Vec<_>>(), ["Next."]);
    }

    async fn a_change_of_the_record_notifies_subscribers(database) {
        let (here, there) = two_processes(database).await;
        let session = new_session("a");
        let session_id = session.session_id;
        let mut of_one = there.session_subscribe(session_id);
        let mut of_all = there.session_list_subscribe();
        assert!(of_one.record_changed() && !of_one.record_changed());
        let submitted = here.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        assert_eq!(submitted, SubmitOutcome::Created(session_id));
        let notified = async {
            while there.session_fetch(session_id).await.unwrap().is_none() || !of_one.record_changed() {
                of_one.changed().await;
            }
            loop {
                match of_all.take() {
                    ChangedSessions::These(changed) if changed.contains_key(&session_id) => return,
                    ChangedSessions::These(_) => of_all.changed().await,
                    // A new subscriber may have missed changes, so the other process reports all sessions as
                    // changed.
                    ChangedSessions::Any => return,
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), notified).await.unwrap();
    }
}

#[derive(Debug, Clone)]
enum Act {
    Begin,
    Add(usize, String),
    Restart(usize, String),
    End(usize),
    Join,
    Leave(usize),
    Take(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let number = 0..8_usize;
    let act = prop_oneof![
        2 => Just(Act::Begin),
        8 => (number.clone(), ".{0,12}").prop_map(|(text, more)| Act::Add(text, more)),
        1 => (number.clone(), ".{0,12}").prop_map(|(text, new_text)| Act::Restart(text, new_text)),
        1 => number.clone().prop_map(Act::End),
        2 => Just(Act::Join),
        1 => number.clone().prop_map(Act::Leave),
        4 => number.prop_map(Act::Take),
    ];
    prop::collection::vec(act, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Holds for any pace of a subscriber and any time of subscription.
    #[test]
    fn a_subscriber_has_exactly_the_written_texts(acts in acts()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let database = tarsy_testkit::TestDatabase::sqlite().await;
            let session_id = SessionId::new();
            let (mut texts, mut readers) = (Vec::new(), Vec::new());
            for act in acts {
                match act {
                    Act::Begin => {
                        let scope = scope(session_id);
                        let text = database.store.live_text(scope, LivePart::Text);
                        texts.push((scope.interaction_id, text, String::new()));
                    }
                    Act::Add(at, more) => if let Some((_, text, written)) = texts.get_mut(at) {
                        text.add(&more);
                        written.push_str(&more);
                    },
                    Act::Restart(at, new_text) => if let Some((_, text, written)) = texts.get_mut(at) {
                        text.restart(&new_text);
                        *written = new_text;
                    },
                    Act::End(at) => if at < texts.len() { drop(texts.remove(at)) },
                    Act::Join => readers.push(TextReader::new(&database.store, session_id)),
                    Act::Leave(at) => if at < readers.len() { drop(readers.remove(at)) },
                    Act::Take(at) => if let Some(reader) = readers.get_mut(at) { reader.take() },
                }
            }
            for mut reader in readers {
                reader.take();
                for (interaction_id, _, written) in &texts {
                    assert_eq!(reader.texts.get(interaction_id).map_or("", String::as_str), written);
                }
            }
            database.remove().await;
        });
    }
}
