//! Ids of tool calls that are unique in a conversation.
//!
//! Some servers send no ids, or restart their numbering in each reply; a result must still belong to exactly
//! one call.

use std::collections::HashSet;

use crate::ModelRequest;

/// The ids that a conversation uses.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallIds {
    used: HashSet<String>,
}

impl CallIds {
    /// Collects the ids of a request.
    pub(crate) fn new(request: &ModelRequest) -> Self {
        let calls = request.messages.iter().flat_map(|message| &message.tool_calls);
        Self { used: calls.map(|call| call.id.clone()).collect() }
    }

    /// Returns the given id if it is not empty and free, or else a generated one.
    pub(crate) fn claim(&mut self, given: &str) -> String {
        let taken = given.is_empty() || self.used.contains(given);
        let id = if taken { self.generate() } else { given.to_owned() };
        self.used.insert(id.clone());
        id
    }

    /// Generates an unused id of nine letters and digits, the only form that every server accepts.
    fn generate(&self) -> String {
        let mut number = self.used.len();
        loop {
            let id = format!("call{number:05}");
            if !self.used.contains(&id) {
                return id;
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_unique_ids_and_generates_the_others() {
        let mut ids = CallIds { used: HashSet::from(["0".to_owned(), "call00002".to_owned()]) };
        assert_eq!(
            ["abc", "0", "", "", "abc"].map(|given| ids.claim(given)),
            ["abc", "call00003", "call00004", "call00005", "call00006"]
        );
    }
}
