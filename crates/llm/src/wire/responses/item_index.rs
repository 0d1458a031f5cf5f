//! The index of an output item in a reply.
//!
//! OpenAI numbers its items; llama.cpp does not, and gives ids only to some of them. An item without an index
//! comes after all known ones.

use std::collections::HashMap;

use serde_json::Value;

/// Assigns indexes to the items of one reply.
#[derive(Debug, Default)]
pub(super) struct ItemIndexes {
    /// Indexes of items that are still arriving, by id; items without an id share the empty one.
    open: HashMap<String, u64>,
    next: u64,
}

impl ItemIndexes {
    /// Returns the index of the item that a delta belongs to.
    pub(super) fn of_delta(&mut self, event: &Value) -> u64 {
        let id = id_of(event);
        let index = self.find(event, id);
        self.open.insert(id.to_owned(), index);
        index
    }

    /// Returns the index of the item that an event completes. A later item with the same id is a different
    /// item.
    pub(super) fn of_item(&mut self, event: &Value) -> u64 {
        let id = id_of(event);
        let index = self.find(event, id);
        self.open.remove(id);
        index
    }

    fn find(&mut self, event: &Value, id: &str) -> u64 {
        let given = event["output_index"].as_u64();
        let index = given.or_else(|| self.open.get(id).copied()).unwrap_or(self.next);
        self.next = self.next.max(index.saturating_add(1));
        index
    }
}

fn id_of(event: &Value) -> &str {
    let ids = [&event["item_id"], &event["item"]["id"], &event["item"]["call_id"]];
    ids.into_iter().filter_map(Value::as_str).find(|id| !id.is_empty()).unwrap_or_default()
}
