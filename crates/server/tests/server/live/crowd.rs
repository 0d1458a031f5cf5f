//! Clients that come, go, come again and read slowly, at two servers: each has in the end what was recorded.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde_json::Value;
use tarsy_domain::Channel;
use tarsy_testkit::both_engines;

use super::desk::Desk;
use super::investigation::Investigation;

const CLIENTS: u64 = 6;
const REPLIES: usize = 12;

/// What a client has put together, over all its connections.
#[derive(Default)]
struct Assembled {
    events: BTreeMap<u64, Value>,
    /// What is being written, by call.
    texts: HashMap<String, String>,
    /// What a call's text was when its record came.
    last_seen: HashMap<String, String>,
}

impl Assembled {
    fn last_event_id(&self) -> Option<u64> {
        self.events.keys().next_back().copied()
    }

    /// Takes in a message, as a client is told to.
    fn take(&mut self, message: Value) {
        let call = message["data"]["interaction_id"].as_str().unwrap_or_default().to_owned();
        if message["type"] == "stream.chunk" {
            assert!(!self.last_seen.contains_key(&call), "{call} is recorded, but its text goes on");
            let text = self.texts.entry(call).or_default();
            if message["data"]["from_start"] == true {
                text.clear();
            }
            text.push_str(message["data"]["text"].as_str().unwrap());
            return;
        }
        let Some(id) = message["event_id"].as_u64() else { return };
        assert_eq!(self.last_event_id().map_or(1, |last| last + 1), id, "no gap and no repeat");
        if message["type"] == "interaction.created" {
            let text = self.texts.remove(&call).unwrap_or_default();
            self.last_seen.insert(call, text);
        }
        self.events.insert(id, message);
    }

    fn has_ended(&self) -> bool {
        let last = self.events.values().next_back();
        last.is_some_and(|event| event["type"] == "session.status" && event["data"]["status"] == "completed")
    }
}

/// Follows a session, leaving and coming again as the dice say.
async fn follow(desks: [std::net::SocketAddr; 2], channel: String, seed: u64) -> Assembled {
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut assembled = Assembled::default();
    while !assembled.has_ended() {
        let address = desks[dice.usize(..2)];
        let mut client = Desk::connect_to(address).await;
        client.subscribe(&channel, assembled.last_event_id()).await;
        // A text that was cut off is told from its beginning.
        assembled.texts.clear();
        for _ in 0..dice.usize(1..40) {
            let Some(message) = client.hear().await else { break };
            assembled.take(message);
            if dice.u8(..) < 20 {
                // Not to wait for anything: it is slow.
                tokio::time::sleep(Duration::from_millis(dice.u64(1..80))).await;
            }
            if assembled.has_ended() {
                break;
            }
        }
    }
    assembled
}

/// Writes replies in pieces, some of them twice over.
async fn investigate(investigation: &Investigation, dice: &mut fastrand::Rng) -> Vec<String> {
    let mut written = Vec::new();
    for number in 0..REPLIES {
        let pieces: Vec<String> =
            (0..dice.usize(1..30)).map(|piece| format!("{number}/{piece} äöü✓ ")).collect();
        let whole = pieces.concat();
        let reply = investigation.reply(&whole);
        if dice.bool() {
            reply.add("a beginning that was given up");
            tokio::task::yield_now().await;
            reply.restart();
        }
        for piece in &pieces {
            reply.add(piece);
            tokio::time::sleep(Duration::from_millis(dice.u64(0..6))).await;
        }
        investigation.record(reply).await;
        written.push(whole);
    }
    investigation.end().await;
    written
}

both_engines! {
    async fn whoever_comes_and_goes_has_what_was_recorded(database) {
        let desks = [Desk::open(database.another().await).await, Desk::open(database.another().await).await];
        let listener = database.store.clone();
        tokio::spawn(async move { listener.listen().await });
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let investigation = Investigation::begin(&database.store).await;
        let addresses = [desks[0].address, desks[1].address];
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| tokio::spawn(follow(addresses, investigation.channel(), seed ^ number)))
            .collect();
        let written = investigate(&investigation, &mut fastrand::Rng::with_seed(seed)).await;
        let channel = Channel::Session(investigation.session_id);
        let recorded = database.store.event_list(channel, 0, 10_000).await.unwrap();
        for client in clients {
            let assembled = tokio::time::timeout(Duration::from_secs(60), client).await.unwrap().unwrap();
            let ids: Vec<u64> = recorded.iter().map(|event| event.event_id).collect();
            assert_eq!(assembled.events.keys().copied().collect::<Vec<_>>(), ids);
            let entries = assembled.events.values().filter(|event| event["type"] == "timeline_event.completed");
            let read: Vec<&str> = entries.map(|event| event["data"]["content"].as_str().unwrap()).collect();
            assert_eq!(read, written);
            for (seen, whole) in assembled.calls().zip(&written) {
                assert!(whole.starts_with(seen), "{seen:?} was never said: {whole:?}");
            }
        }
    }
}

impl Assembled {
    /// What was seen of each call before its record came, in order.
    fn calls(&self) -> impl Iterator<Item = &str> {
        let calls = self.events.values().filter(|event| event["type"] == "interaction.created");
        calls.map(|event| {
            let call = event["data"]["interaction_id"].as_str().unwrap();
            self.last_seen.get(call).map_or("", String::as_str)
        })
    }
}
