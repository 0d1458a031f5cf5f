//! Watching: what is being written reaches whoever watches, in this process and in others, whole and in order.

use std::collections::HashMap;
use std::time::Duration;

use proptest::prelude::*;
use tarsy_domain::{ExecutionId, InteractionId, LivePart, SessionId, Timestamp};
use tarsy_store::{ChangedSessions, LiveTextScope, QueueLimit, SessionSubscription, Store, SubmitOutcome};
use tarsy_testkit::{both_engines, new_session};

fn place(session_id: SessionId) -> LiveTextScope {
    LiveTextScope {
        session_id,
        stage_id: None,
        execution_id: ExecutionId::new(),
        interaction_id: InteractionId::new(),
    }
}

/// A watcher, and what it has put together.
struct Reader {
    watch: SessionSubscription,
    texts: HashMap<InteractionId, String>,
}

impl Reader {
    fn new(store: &Store, session_id: SessionId) -> Self {
        Self { watch: store.session_subscribe(session_id), texts: HashMap::new() }
    }

    fn take(&mut self) {
        for delta in self.watch.take().0 {
            let text = self.texts.entry(delta.scope.interaction_id).or_default();
            if delta.from_start {
                text.clear();
            }
            text.push_str(&delta.text);
        }
    }

    /// Reads until it has this text of a call.
    async fn until(&mut self, interaction_id: InteractionId, wanted: &str) {
        let reading = async {
            loop {
                self.take();
                if self.texts.get(&interaction_id).is_some_and(|text| text == wanted) {
                    return;
                }
                self.watch.changed().await;
            }
        };
        let read = tokio::time::timeout(Duration::from_secs(20), reading).await;
        assert!(read.is_ok(), "{:?} instead of {wanted:?}", self.texts.get(&interaction_id));
    }
}

/// Two processes that hear each other.
async fn two(database: &tarsy_testkit::TestDatabase) -> (Store, Store) {
    let (here, there) = (database.store.clone(), database.another().await);
    for store in [here.clone(), there.clone()] {
        tokio::spawn(async move { store.listen().await });
    }
    (here, there)
}

both_engines! {
    async fn a_text_reaches_those_who_watch_early_and_late(database) {
        let (here, there) = two(database).await;
        let session_id = SessionId::new();
        let mut early = Reader::new(&there, session_id);
        let place = place(session_id);
        let text = here.live_text(place, LivePart::Text);
        text.add("The pod ");
        early.until(place.interaction_id, "The pod ").await;
        text.add("ran out of memory – ✗.");
        let whole = "The pod ran out of memory – ✗.";
        let mut late = Reader::new(&there, session_id);
        late.until(place.interaction_id, whole).await;
        early.until(place.interaction_id, whole).await;
        let long = "x\n".repeat(30_000);
        text.restart(&long);
        late.until(place.interaction_id, &long).await;
        Reader::new(&there, session_id).until(place.interaction_id, &long).await;
    }

    async fn thinking_and_text_are_told_apart(database) {
        let (here, there) = two(database).await;
        let place = place(SessionId::new());
        let mut watch = there.session_subscribe(place.session_id);
        let thinking = here.live_text(place, LivePart::Thinking);
        let text = here.live_text(place, LivePart::Text);
        thinking.add("Hm.");
        text.add("Yes.");
        let mut parts = Vec::new();
        while parts.len() < 2 {
            watch.changed().await;
            parts.extend(watch.take().0.into_iter().map(|delta| (delta.part, delta.text)));
        }
        parts.sort();
        assert_eq!(parts, [(LivePart::Thinking, "Hm.".to_owned()), (LivePart::Text, "Yes.".to_owned())]);
    }

    async fn a_text_is_gone_when_the_record_has_it(database) {
        let (here, there) = two(database).await;
        let place = place(SessionId::new());
        let mut reader = Reader::new(&there, place.session_id);
        let text = here.live_text(place, LivePart::Text);
        text.add("Soon recorded.");
        reader.until(place.interaction_id, "Soon recorded.").await;
        drop(text);
        // The next text is told after the end of the one before it.
        let other = LiveTextScope { interaction_id: InteractionId::new(), ..place };
        let next = here.live_text(other, LivePart::Text);
        next.add("Next.");
        let mut ended = Vec::new();
        while !ended.contains(&place.interaction_id) {
            reader.watch.changed().await;
            ended.extend(reader.watch.take().1);
        }
        let mut late = Reader::new(&there, place.session_id);
        late.until(other.interaction_id, "Next.").await;
        assert_eq!(late.texts.into_values().collect::<Vec<_>>(), ["Next."]);
    }

    async fn a_change_of_the_record_is_news(database) {
        let (here, there) = two(database).await;
        let session = new_session("news");
        let session_id = session.session_id;
        let mut of_one = there.session_subscribe(session_id);
        let mut of_all = there.session_list_subscribe();
        assert!(of_one.record_changed() && !of_one.record_changed());
        let submitted = here.session_insert(session, QueueLimit::Unlimited, Timestamp::now()).await.unwrap();
        assert_eq!(submitted, SubmitOutcome::Created(session_id));
        let told = async {
            while there.session_fetch(session_id).await.unwrap().is_none() || !of_one.record_changed() {
                of_one.changed().await;
            }
            loop {
                match of_all.take() {
                    ChangedSessions::These(changed) if changed.contains_key(&session_id) => return,
                    ChangedSessions::These(_) => of_all.changed().await,
                    // Whoever begins to watch is told so by the other process: it may have missed something.
                    ChangedSessions::Any => return,
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), told).await.unwrap();
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
        1 => (number.clone(), ".{0,12}").prop_map(|(text, anew)| Act::Restart(text, anew)),
        1 => number.clone().prop_map(Act::End),
        2 => Just(Act::Join),
        1 => number.clone().prop_map(Act::Leave),
        4 => number.prop_map(Act::Take),
    ];
    prop::collection::vec(act, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// However slowly somebody reads and whenever they come: they have what was written.
    #[test]
    fn what_a_reader_has_is_what_was_written(acts in acts()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let database = tarsy_testkit::TestDatabase::sqlite().await;
            let session_id = SessionId::new();
            let (mut texts, mut readers) = (Vec::new(), Vec::new());
            for act in acts {
                match act {
                    Act::Begin => {
                        let place = place(session_id);
                        let text = database.store.live_text(place, LivePart::Text);
                        texts.push((place.interaction_id, text, String::new()));
                    }
                    Act::Add(at, more) => if let Some((_, text, written)) = texts.get_mut(at) {
                        text.add(&more);
                        written.push_str(&more);
                    },
                    Act::Restart(at, anew) => if let Some((_, text, written)) = texts.get_mut(at) {
                        text.restart(&anew);
                        *written = anew;
                    },
                    Act::End(at) => if at < texts.len() { drop(texts.remove(at)) },
                    Act::Join => readers.push(Reader::new(&database.store, session_id)),
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
