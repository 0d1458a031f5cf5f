//! Builds event streams in the vendor's format, with trailing whitespace and pings.

use serde_json::{Value, json};

/// An event stream.
pub(crate) struct Stream(String);

impl Stream {
    /// Starts a reply.
    pub(crate) fn begin() -> Self {
        let usage = json!({ "input_tokens": 12, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 3000, "output_tokens": 2 });
        let message = json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": [], "stop_reason": null, "usage": usage });
        Self(String::new()).event("message_start", &json!({ "message": message }))
    }

    /// Adds an event.
    pub(crate) fn event(mut self, name: &str, fields: &Value) -> Self {
        let mut data = json!({ "type": name });
        data.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.0.push_str(&format!(
            "event: {name}\ndata: {data}      \n\nevent: ping\ndata: {{\"type\": \"ping\"}}\n\n"
        ));
        self
    }

    /// Adds a block with its deltas.
    pub(crate) fn block(self, index: u64, start: &Value, deltas: &[Value]) -> Self {
        let begun = self.event("content_block_start", &json!({ "index": index, "content_block": start }));
        let piece = |stream: Self, delta: &Value| {
            stream.event("content_block_delta", &json!({ "index": index, "delta": delta }))
        };
        deltas.iter().fold(begun, piece).event("content_block_stop", &json!({ "index": index }))
    }

    /// Adds a thinking block whose signature arrives in two pieces.
    pub(crate) fn thinking(self, index: u64, pieces: &[&str], signature: (&str, &str)) -> Self {
        let thinking = pieces.iter().map(|piece| json!({ "type": "thinking_delta", "thinking": piece }));
        let signature =
            [signature.0, signature.1].map(|piece| json!({ "type": "signature_delta", "signature": piece }));
        let deltas: Vec<Value> = thinking.chain(signature).collect();
        self.block(index, &json!({ "type": "thinking", "thinking": "", "signature": "" }), &deltas)
    }

    /// Adds a text block.
    pub(crate) fn text(self, index: u64, pieces: &[&str]) -> Self {
        let deltas: Vec<Value> =
            pieces.iter().map(|piece| json!({ "type": "text_delta", "text": piece })).collect();
        self.block(index, &json!({ "type": "text", "text": "" }), &deltas)
    }

    /// Adds a call of the tool that the tests define.
    pub(crate) fn call(self, index: u64, id: &str, pieces: &[&str]) -> Self {
        let start = json!({ "type": "tool_use", "id": id, "name": "k8s__pods", "input": {}, "caller": { "type": "direct" } });
        let deltas: Vec<Value> =
            pieces.iter().map(|piece| json!({ "type": "input_json_delta", "partial_json": piece })).collect();
        self.block(index, &start, &deltas)
    }

    /// Ends the reply.
    pub(crate) fn stop(self, reason: &str) -> Self {
        self.stopping(reason).event("message_stop", &json!({}))
    }

    /// Adds the stop reason without ending the reply.
    pub(crate) fn stopping(self, reason: &str) -> Self {
        let delta = json!({ "stop_reason": reason, "stop_sequence": null });
        self.event("message_delta", &json!({ "delta": delta, "usage": { "output_tokens": 77 } }))
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Appends raw text.
    pub(crate) fn raw(mut self, text: &str) -> Self {
        self.0.push_str(text);
        self
    }
}
