//! A cache of provider state for clients that do not store it.
//!
//! The original protocol has no field for it, so other clients send conversations without it. The key of a
//! state is the execution and the whole conversation up to and including its message, because two replies
//! with the same text can have different histories. The cache is bounded and short-lived; a conversation
//! works without the state, too.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tarsy_domain::{Message, ModelReply, Role};

const MAX_AGE: Duration = Duration::from_secs(3600);
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const EXPECTED_STATES: usize = 4_096;

/// Provider state of replies, by conversation.
pub(super) struct StateCache {
    states: Cache<u128, CachedState, StateWeighter>,
    /// How often the state of an execution was cleared; part of the key, so that older state is not found.
    generations: Cache<String, u64>,
}

type CachedState = (Instant, Arc<str>);

/// Weighs states by bytes, because their sizes differ by orders of magnitude.
#[derive(Clone)]
struct StateWeighter;

impl Weighter<u128, CachedState> for StateWeighter {
    fn weight(&self, _: &u128, (_, state): &CachedState) -> u64 {
        state.len() as u64 + 64
    }
}

impl StateCache {
    pub(super) fn new() -> Self {
        Self {
            states: Cache::with_weighter(EXPECTED_STATES, MAX_BYTES, StateWeighter),
            generations: Cache::new(EXPECTED_STATES),
        }
    }

    /// Clears the state of an execution.
    pub(super) fn clear(&self, execution_id: &str) {
        self.generations.insert(execution_id.to_owned(), self.generation(execution_id) + 1);
    }

    fn generation(&self, execution_id: &str) -> u64 {
        self.generations.get(execution_id).unwrap_or_default()
    }

    /// Adds cached state to the messages of a conversation.
    pub(super) fn restore(&self, execution_id: &str, messages: &mut [Arc<Message>]) {
        let mut digest = ConversationDigest::new(execution_id, self.generation(execution_id));
        for message in messages.iter_mut() {
            digest.add(message);
            if message.role == Role::Assistant && message.provider_state.is_none() {
                let state = self.states.get(&digest.key()).filter(|(since, _)| since.elapsed() < MAX_AGE);
                if let Some((_, state)) = state {
                    Arc::make_mut(message).provider_state = Some(state.to_string());
                }
            }
        }
    }

    /// Caches the state of a reply to a conversation.
    pub(super) fn insert(&self, execution_id: &str, messages: &[Arc<Message>], reply: &ModelReply) {
        let Some(state) = &reply.provider_state else { return };
        let mut digest = ConversationDigest::new(execution_id, self.generation(execution_id));
        messages.iter().for_each(|message| digest.add(message));
        digest
            .add(&Message { tool_calls: reply.tool_calls.clone(), ..Message::assistant(reply.text.clone()) });
        self.states.insert(digest.key(), (Instant::now(), state.as_str().into()));
    }
}

/// A digest of a conversation: two hashes with different salts.
struct ConversationDigest([DefaultHasher; 2]);

impl ConversationDigest {
    fn new(execution_id: &str, generation: u64) -> Self {
        let salted = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, generation, execution_id).hash(&mut hasher);
            hasher
        };
        Self([salted(1), salted(2)])
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
    fn restores_state_for_the_same_conversation_until_it_is_cleared() {
        let cache = StateCache::new();
        let conversation = vec![Arc::new(Message::user("Why?"))];
        let reply = ModelReply {
            text: "Because.".to_owned(),
            provider_state: Some("{}".to_owned()),
            ..ModelReply::default()
        };
        cache.insert("execution", &conversation, &reply);
        let restored = |execution: &str, question: &str| {
            let mut messages =
                vec![Arc::new(Message::user(question)), Arc::new(Message::assistant("Because."))];
            cache.restore(execution, &mut messages);
            messages[1].provider_state.clone()
        };
        assert_eq!(restored("execution", "Why?").as_deref(), Some("{}"));
        assert_eq!(restored("execution", "Why not?"), None);
        assert_eq!(restored("another", "Why?"), None);
        cache.clear("execution");
        assert_eq!(restored("execution", "Why?"), None);
    }
}
