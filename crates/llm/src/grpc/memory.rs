//! Reasoning state, kept for clients that cannot carry it.
//!
//! The contract has no field for it, so a foreign client sends its conversation back without. What belongs to a
//! message is found by the execution and by everything that was said up to and including it: two turns with the
//! same words have different pasts. It is a cache, bounded and short-lived; a reply without state is still a reply.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use tarsy_domain::{Message, ModelReply, Role};

const KEPT: Duration = Duration::from_secs(3600);
const LARGEST_STATES: usize = 4_096;

/// State of replies that were given to clients which cannot keep it.
pub(super) struct Memory {
    states: Cache<u128, (Instant, Arc<str>)>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self { states: Cache::new(LARGEST_STATES) }
    }

    /// Gives the messages of a conversation the state that is remembered for them.
    pub(super) fn recall(&self, execution_id: &str, messages: &mut [Arc<Message>]) {
        let mut past = Past::new(execution_id);
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
        let mut past = Past::new(execution_id);
        messages.iter().for_each(|message| past.add(message));
        past.add(&Message { tool_calls: reply.tool_calls.clone(), ..Message::assistant(reply.text.clone()) });
        self.states.insert(past.key(), (Instant::now(), state.as_str().into()));
    }
}

/// A digest of everything that was said, by two differently begun hashes.
struct Past([DefaultHasher; 2]);

impl Past {
    fn new(execution_id: &str) -> Self {
        let begun = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, execution_id).hash(&mut hasher);
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
