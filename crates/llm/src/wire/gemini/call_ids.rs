//! Ids for tool calls, which Gemini does not always give.

use std::collections::HashSet;

use crate::ModelRequest;

/// Gives every call of a reply an id that no other call of the conversation has.
#[derive(Debug)]
pub(super) struct CallIds {
    taken: HashSet<String>,
    calls: usize,
}

impl CallIds {
    /// For the reply to a request.
    pub(super) fn new(request: &ModelRequest) -> Self {
        let earlier = request.messages.iter().flat_map(|message| &message.tool_calls);
        let ids: Vec<_> = earlier.map(|call| call.id.clone()).collect();
        Self { calls: ids.len(), taken: ids.into_iter().collect() }
    }

    /// The id of the next call: Gemini's own, or one that is made up.
    pub(super) fn next(&mut self, given: Option<String>) -> String {
        self.calls += 1;
        let given = given.filter(|id| !id.is_empty() && !self.taken.contains(id));
        let id = given.unwrap_or_else(|| self.made_up());
        self.taken.insert(id.clone());
        id
    }

    /// Calls of a conversation that was shortened may have taken the number that is next.
    fn made_up(&self) -> String {
        let mut number = self.calls;
        loop {
            let id = format!("gemini-call-{number}");
            if !self.taken.contains(&id) {
                return id;
            }
            number += 1;
        }
    }
}
