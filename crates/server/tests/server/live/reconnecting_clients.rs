//! Clients that disconnect, reconnect and read slowly at two servers: each must end up with all recorded
//! events.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde_json::Value;
use tarsy_domain::Channel;
use tarsy_testkit::both_engines;

use super::investigation::Investigation;
use super::test_server::TestServer;

const CLIENTS: u64 = 6;
const REPLIES: usize = 12;

/// What a client has received, over all its connections.
#[derive(Default)]
struct Assembled {
    events: BTreeMap<u64, Value>,
    /// Streamed texts, by call.
    texts: HashMap<String, String>,
    /// The streamed text of a call when its record arrived.
    last_seen: HashMap<String, String>,
}

impl Assembled {
    fn last_event_id(&self) -> Option<u64> {
        self.events.keys().next_back().copied()
    }

    /// Handles a message as a client should.
    fn take(&mut self, message: Value) {
        let call = message["data"]["interaction_id"].as_str().unwrap_or_default().to_owned();
        if message["type"] == "stream.chunk" {
            assert!(!self.last_seen.contains_key(&call), "{call} is recorded and its text is still streamed");
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

/// Follows a session with random disconnects.
async fn follow(servers: [std::net::SocketAddr; 2], channel: String, seed: u64) -> Assembled {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut assembled = Assembled::default();
    while !assembled.has_ended() {
        let address = servers[random.usize(..2)];
        let mut client = TestServer::connect_to(address).await;
        client.subscribe(&channel, assembled.last_event_id()).await;
        // After a reconnect a text is streamed from its start.
        assembled.texts.clear();
        for _ in 0..random.usize(1..40) {
            let Some(message) = client.receive().await else { break };
            assembled.take(message);
            if random.u8(..) < 20 {
                // A slow client, not synchronization.
                tokio::time::sleep(Duration::from_millis(random.u64(1..80))).await;
            }
            if assembled.has_ended() {
                break;
            }
        }
    }
    assembled
}

/// Streams replies in pieces and restarts some of them.
async fn investigate(investigation: &Investigation, random: &mut fastrand::Rng) -> Vec<String> {
    let mut written = Vec::new();
    for number in 0..REPLIES {
        let pieces: Vec<String> =
            (0..random.usize(1..30)).map(|piece| format!("{number}/{piece} äöü✓ ")).collect();
        let whole = pieces.concat();
        let reply = investigation.reply(&whole);
        if random.bool() {
            reply.add("a discarded start");
            tokio::task::yield_now().await;
            reply.restart();
        }
        for piece in &pieces {
            reply.add(piece);
            tokio::time::sleep(Duration::from_millis(random.u64(0..6))).await;
        }
        investigation.record(reply).await;
        written.push(whole);
    }
    investigation.end().await;
    written
}

both_engines! {
    async fn reconnecting_clients_receive_every_recorded_event(database) {
        let servers = [TestServer::open(database.another().await).await, TestServer::open(database.another().await).await];
        let listener = database.store.clone();
        tokio::spawn(async move { listener.listen().await });
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let investigation = Investigation::begin(&database.store).await;
        let addresses = [servers[0].address, servers[1].address];
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
                assert!(whole.starts_with(seen), "{seen:?} is not a prefix of {whole:?}");
            }
        }
    }
}

impl Assembled {
    /// Returns what was streamed of each call before its record arrived, in order.
    fn calls(&self) -> impl Iterator<Item = &str> {
        let calls = self.events.values().filter(|event| event["type"] == "interaction.created");
        calls.map(|event| {
            let call = event["data"]["interaction_id"].as_str().unwrap();
            self.last_seen.get(call).map_or("", String::as_str)
        })
    }
}
