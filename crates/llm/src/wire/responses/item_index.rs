//! Where an item stands in a reply.
//!
//! The vendor counts its items; llama.cpp does not, and gives some of them an id and others none. What has no place
//! of its own comes after all that is known.

use std::collections::HashMap;

use serde_json::Value;

/// The places of one reply.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Items that have begun and not ended, by their id; those without one share the empty id.
    open: HashMap<String, u64>,
    next: u64,
}

impl Places {
    /// The place of the item that an event says more of.
    pub(super) fn of_delta(&mut self, event: &Value) -> u64 {
        let id = id_of(event);
        let place = self.find(event, id);
        self.open.insert(id.to_owned(), place);
        place
    }

    /// The place of the item that an event ends: one more with the same id is another item.
    pub(super) fn of_item(&mut self, event: &Value) -> u64 {
        let id = id_of(event);
        let place = self.find(event, id);
        self.open.remove(id);
        place
    }

    fn find(&mut self, event: &Value, id: &str) -> u64 {
        let told = event["output_index"].as_u64();
        let place = told.or_else(|| self.open.get(id).copied()).unwrap_or(self.next);
        self.next = self.next.max(place.saturating_add(1));
        place
    }
}

fn id_of(event: &Value) -> &str {
    let ids = [&event["item_id"], &event["item"]["id"], &event["item"]["call_id"]];
    ids.into_iter().filter_map(Value::as_str).find(|id| !id.is_empty()).unwrap_or_default()
}
