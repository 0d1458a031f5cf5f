//! Ids of tool calls that are unique in a conversation, whatever the server says.
//!
//! Servers leave ids out, or count them anew in each turn; a result must still belong to exactly one call.

use std::collections::HashSet;

use crate::ModelRequest;

/// The ids that a conversation has used.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallIds {
    used: HashSet<String>,
}

impl CallIds {
    /// The ids of the calls so far.
    pub(crate) fn new(request: &ModelRequest) -> Self {
        let calls = request.messages.iter().flat_map(|message| &message.tool_calls);
        Self { used: calls.map(|call| call.id.clone()).collect() }
    }

    /// The given id if it is one and is free, or else a new one.
    pub(crate) fn claim(&mut self, given: &str) -> String {
        let taken = given.is_empty() || self.used.contains(given);
        let id = if taken { self.invent() } else { given.to_owned() };
        self.used.insert(id.clone());
        id
    }

    /// Nine letters and digits, which is the one form that every server accepts.
    fn invent(&self) -> String {
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
    fn ids_are_kept_once_and_invented_otherwise() {
        let mut ids = CallIds { used: HashSet::from(["0".to_owned(), "call00002".to_owned()]) };
        assert_eq!(
            ["abc", "0", "", "", "abc"].map(|given| ids.claim(given)),
            ["abc", "call00003", "call00004", "call00005", "call00006"]
        );
    }
}
