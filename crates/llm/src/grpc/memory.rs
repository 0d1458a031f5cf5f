//! Reasoning state, kept for clients that cannot carry it.
//!
//! The contract has no field for it, so a foreign client sends its conversation back without. What belongs to a
//! message is found by the execution and by everything that was said up to and including it: two turns with the
//! same words have different pasts. It is a cache, bounded and short-lived; a reply without state is still a reply.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tarsy_domain::{Message, ModelReply, Role};

const KEPT: Duration = Duration::from_secs(3600);
const LARGEST_BYTES: u64 = 64 * 1024 * 1024;
const EXPECTED_STATES: usize = 4_096;

/// State of replies that were given to clients which cannot keep it.
pub(super) struct Memory {
    states: Cache<u128, Kept, Bytes>,
    /// How often an execution was forgotten: what was kept before has another past.
    forgotten: Cache<String, u64>,
}

type Kept = (Instant, Arc<str>);

/// States differ in size by orders of magnitude, so it is bytes that are bounded.
#[derive(Clone)]
struct Bytes;

impl Weighter<u128, Kept> for Bytes {
    fn weight(&self, _: &u128, (_, state): &Kept) -> u64 {
        state.len() as u64 + 64
    }
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            states: Cache::with_weighter(EXPECTED_STATES, LARGEST_BYTES, Bytes),
            forgotten: Cache::new(EXPECTED_STATES),
        }
    }

    /// Forgets what is kept for an execution.
    pub(super) fn forget(&self, execution_id: &str) {
        self.forgotten.insert(execution_id.to_owned(), self.times_forgotten(execution_id) + 1);
    }

    fn times_forgotten(&self, execution_id: &str) -> u64 {
        self.forgotten.get(execution_id).unwrap_or_default()
    }

    /// Gives the messages of a conversation the state that is remembered for them.
    pub(super) fn recall(&self, execution_id: &str, messages: &mut [Arc<Message>]) {
        let mut past = Past::new(execution_id, self.times_forgotten(execution_id));
        for message in messages.iter_mut() {
            past.add(message);
            if message.role == Role::Assistant && message.provider_state.is_none() {
                let state = self.states.get(&past.key()).filter(|(since, _)| since.elapsed() < KEPT);
                if let Some((_, state)) = state {
                    Arc::make_mut(message).provider_state = Some(state.to_string());
                }
            }
        }
    }

    /// Remembers the state of a reply to a conversation.
    pub(super) fn remember(&self, execution_id: &str, messages: &[Arc<Message>], reply: &ModelReply) {
        let Some(state) = &reply.provider_state else { return };
        let mut past = Past::new(execution_id, self.times_forgotten(execution_id));
        messages.iter().for_each(|message| past.add(message));
        past.add(&Message { tool_calls: reply.tool_calls.clone(), ..Message::assistant(reply.text.clone()) });
        self.states.insert(past.key(), (Instant::now(), state.as_str().into()));
    }
}

/// A digest of everything that was said, by two differently begun hashes.
struct Past([DefaultHasher; 2]);

impl Past {
    fn new(execution_id: &str, times_forgotten: u64) -> Self {
        let begun = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, times_forgotten, execution_id).hash(&mut hasher);
            hasher
        };
        Self([begun(1), begun(2)])
    }

    fn add(&mut self, message: &Message) {
        for hasher in &mut self.0 {
            (message.role, &message.content, &message.tool_call_id).hash(hasher);
            for call in &message.tool_calls {
                (&call.id, &call.name, &call.arguments).hash(hasher);
            }
        }
    }

    fn key(&self) -> u128 {
        let [first, second] = &self.0;
        u128::from(first.finish()) << 64 | u128::from(second.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_comes_back_to_the_same_past_until_it_is_forgotten() {
        let memory = Memory::new();
        let asked = vec![Arc::new(Message::user("Why?"))];
        let reply = ModelReply {
            text: "Because.".to_owned(),
            provider_state: Some("{}".to_owned()),
            ..ModelReply::default()
        };
        memory.remember("execution", &asked, &reply);
        let recalled = |execution: &str, question: &str| {
            let mut messages =
                vec![Arc::new(Message::user(question)), Arc::new(Message::assistant("Because."))];
            memory.recall(execution, &mut messages);
            messages[1].provider_state.clone()
        };
        assert_eq!(recalled("execution", "Why?").as_deref(), Some("{}"));
        assert_eq!(recalled("execution", "Why not?"), None);
        assert_eq!(recalled("another", "Why?"), None);
        memory.forget("execution");
        assert_eq!(recalled("execution", "Why?"), None);
    }
}
