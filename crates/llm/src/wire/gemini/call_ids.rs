//! Ids for tool calls, which Gemini does not always send.

use std::collections::HashSet;

use crate::ModelRequest;

/// Assigns every tool call of a reply an id that is unique in the conversation.
#[derive(Debug)]
pub(super) struct ReplyCallIds {
    used: HashSet<String>,
    calls: usize,
}

impl ReplyCallIds {
    /// Collects the ids that a request contains.
    pub(super) fn new(request: &ModelRequest) -> Self {
        let earlier = request.messages.iter().flat_map(|message| &message.tool_calls);
        let ids: Vec<_> = earlier.map(|call| call.id.clone()).collect();
        Self { calls: ids.len(), used: ids.into_iter().collect() }
    }

    /// Returns the id of the next call: Gemini's, or a generated one.
    pub(super) fn next(&mut self, given: Option<String>) -> String {
        self.calls += 1;
        let given = given.filter(|id| !id.is_empty() && !self.used.contains(id));
        let id = given.unwrap_or_else(|| self.generate());
        self.used.insert(id.clone());
        id
    }

    /// Generates an unused id. The next number may already be in use if the conversation was shortened.
    fn generate(&self) -> String {
        let mut number = self.calls;
        loop {
            let id = format!("gemini-call-{number}");
            if !self.used.contains(&id) {
                return id;
            }
            number += 1;
        }
    }
}
