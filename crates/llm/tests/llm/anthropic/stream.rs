//! Writes answers in the vendor's shapes: blanks behind the JSON, pings in between.

use serde_json::{Value, json};

/// A stream of events.
pub(crate) struct Stream(String);

impl Stream {
    /// A reply that begins.
    pub(crate) fn begin() -> Self {
        let usage = json!({ "input_tokens": 12, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 3000, "output_tokens": 2 });
        let message = json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": [], "stop_reason": null, "usage": usage });
        Self(String::new()).event("message_start", &json!({ "message": message }))
    }

    /// One event.
    pub(crate) fn event(mut self, name: &str, fields: &Value) -> Self {
        let mut data = json!({ "type": name });
        data.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.0.push_str(&format!(
            "event: {name}\ndata: {data}      \n\nevent: ping\ndata: {{\"type\": \"ping\"}}\n\n"
        ));
        self
    }

    /// A block with its pieces.
    pub(crate) fn block(self, index: u64, start: &Value, deltas: &[Value]) -> Self {
        let begun = self.event("content_block_start", &json!({ "index": index, "content_block": start }));
        let piece = |stream: Self, delta: &Value| {
            stream.event("content_block_delta", &json!({ "index": index, "delta": delta }))
        };
        deltas.iter().fold(begun, piece).event("content_block_stop", &json!({ "index": index }))
    }

    /// A block of thinking, signed in two pieces.
    pub(crate) fn thinking(self, index: u64, pieces: &[&str], signature: (&str, &str)) -> Self {
        let thinking = pieces.iter().map(|piece| json!({ "type": "thinking_delta", "thinking": piece }));
        let signature =
            [signature.0, signature.1].map(|piece| json!({ "type": "signature_delta", "signature": piece }));
        let deltas: Vec<Value> = thinking.chain(signature).collect();
        self.block(index, &json!({ "type": "thinking", "thinking": "", "signature": "" }), &deltas)
    }

    /// A block of text.
    pub(crate) fn text(self, index: u64, pieces: &[&str]) -> Self {
        let deltas: Vec<Value> =
            pieces.iter().map(|piece| json!({ "type": "text_delta", "text": piece })).collect();
        self.block(index, &json!({ "type": "text", "text": "" }), &deltas)
    }

    /// A call of the tool that the tests bind.
    pub(crate) fn call(self, index: u64, id: &str, pieces: &[&str]) -> Self {
        let start = json!({ "type": "tool_use", "id": id, "name": "k8s__pods", "input": {}, "caller": { "type": "direct" } });
        let deltas: Vec<Value> =
            pieces.iter().map(|piece| json!({ "type": "input_json_delta", "partial_json": piece })).collect();
        self.block(index, &start, &deltas)
    }

    /// The end of the reply.
    pub(crate) fn stop(self, reason: &str) -> Self {
        self.stopping(reason).event("message_stop", &json!({}))
    }

    /// Why the reply ends, without its end.
    pub(crate) fn stopping(self, reason: &str) -> Self {
        let delta = json!({ "stop_reason": reason, "stop_sequence": null });
        self.event("message_delta", &json!({ "delta": delta, "usage": { "output_tokens": 77 } }))
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// More bytes, as they are.
    pub(crate) fn raw(mut self, text: &str) -> Self {
        self.0.push_str(text);
        self
    }
}
