//! Reasoning in separate fields, as received and as sent back.
//!
//! Each server has its own fields and expects them back: a text (`reasoning_content` or `reasoning`), or a
//! list of signed blocks (`reasoning_details` of OpenRouter, `thinking_blocks` of LiteLLM), which arrive in
//! fragments.

use serde_json::{Map, Value};

/// Fields of a block that arrive in fragments; all others arrive complete.
const FRAGMENTED: &[&str] = &["data", "summary", "text", "thinking"];

/// The reasoning of one reply.
#[derive(Debug, Default)]
pub(super) struct ReplyReasoning {
    content: String,
    plain: String,
    details: Vec<Map<String, Value>>,
    blocks: Vec<Map<String, Value>>,
}

impl ReplyReasoning {
    /// Adds a delta and returns its visible text. Servers that fill several fields repeat the text in each.
    pub(super) fn push(&mut self, delta: &Value) -> String {
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        let (content, plain) = (text("reasoning_content"), text("reasoning"));
        self.content.push_str(content);
        self.plain.push_str(plain);
        let details = fragments(delta, "reasoning_details");
        let visible_text = [content, plain].into_iter().find(|text| !text.is_empty()).map(str::to_owned);
        let visible_text = visible_text.unwrap_or_else(|| details.iter().filter_map(visible).collect());
        for detail in details {
            merge(&mut self.details, detail, IndexRule::Needed);
        }
        for block in fragments(delta, "thinking_blocks") {
            merge(&mut self.blocks, block, IndexRule::Absent);
        }
        visible_text
    }

    /// Returns whether there is no reasoning.
    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty() && self.plain.is_empty() && !self.has_blocks()
    }

    /// Adds the fields that are sent back. Plain text is sent only with tool calls: DeepSeek requires it
    /// there and has rejected it elsewhere.
    pub(super) fn write(&self, message: &mut Map<String, Value>, with_calls: bool) {
        let lists = [("reasoning_details", &self.details), ("thinking_blocks", &self.blocks)];
        for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            message.insert(key.to_owned(), list.iter().cloned().map(Value::Object).collect());
        }
        if !with_calls || self.has_blocks() {
            return;
        }
        for (key, text) in [("reasoning_content", &self.content), ("reasoning", &self.plain)] {
            if !text.is_empty() {
                message.insert(key.to_owned(), Value::String(text.clone()));
            }
        }
    }

    fn has_blocks(&self) -> bool {
        !self.details.is_empty() || !self.blocks.is_empty()
    }
}

/// How fragments of one block are recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexRule {
    /// By the same index.
    Needed,
    /// By their order: a block ends with its signature.
    Absent,
}

fn fragments(delta: &Value, key: &str) -> Vec<Map<String, Value>> {
    let list = delta.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|fragment| fragment.as_object().cloned()).collect()
}

fn visible(detail: &Map<String, Value>) -> Option<String> {
    ["text", "summary"].iter().find_map(|key| detail.get(*key)?.as_str()).map(str::to_owned)
}

fn merge(list: &mut Vec<Map<String, Value>>, fragment: Map<String, Value>, rule: IndexRule) {
    match list.last_mut().filter(|last| belong_together(last, &fragment, rule)) {
        Some(last) => fragment.into_iter().for_each(|(key, value)| extend_field(last, key, value)),
        None => list.push(fragment),
    }
}

fn belong_together(last: &Map<String, Value>, next: &Map<String, Value>, rule: IndexRule) -> bool {
    let given =
        |block: &Map<String, Value>, key: &str| block.get(key).filter(|value| !value.is_null()).cloned();
    let (id, next_id) = (given(last, "id"), given(next, "id"));
    let same_id = id.is_none() || next_id.is_none() || id == next_id;
    let connected = match rule {
        IndexRule::Needed => given(last, "index").is_some() && given(last, "index") == given(next, "index"),
        IndexRule::Absent => given(last, "signature").is_none_or(|signature| signature == ""),
    };
    same_id && connected && last.get("type") == next.get("type")
}

fn extend_field(block: &mut Map<String, Value>, key: String, value: Value) {
    match (block.get_mut(&key), value) {
        (Some(_), Value::Null) => {}
        (Some(Value::String(known)), Value::String(more)) if FRAGMENTED.contains(&key.as_str()) => {
            known.push_str(&more);
        }
        (_, value) => {
            block.insert(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn replayed(deltas: &[Value], with_calls: bool) -> (String, Value) {
        let mut reasoning = ReplyReasoning::default();
        let shown = deltas.iter().map(|delta| reasoning.push(delta)).collect();
        let mut message = Map::new();
        reasoning.write(&mut message, with_calls);
        (shown, Value::Object(message))
    }

    #[test]
    fn plain_reasoning_is_sent_back_with_tool_calls_in_the_same_field() {
        let deepseek =
            [json!({"reasoning_content": "a"}), json!({"reasoning_content": "b", "content": null})];
        assert_eq!(replayed(&deepseek, true), ("ab".to_owned(), json!({"reasoning_content": "ab"})));
        assert_eq!(replayed(&deepseek, false), ("ab".to_owned(), json!({})));
        let groq = [json!({"reasoning": "a"}), json!({"reasoning": null})];
        assert_eq!(replayed(&groq, true), ("a".to_owned(), json!({"reasoning": "a"})));
    }

    #[test]
    fn assembles_fragments_of_signed_blocks() {
        let (shown, message) = replayed(
            &[
                json!({"reasoning": "a", "reasoning_details": [{"type": "reasoning.text", "text": "a", "signature": null, "index": 0}]}),
                json!({"reasoning_details": [{"type": "reasoning.text", "text": "b", "index": 0}]}),
                json!({"reasoning_details": [{"type": "reasoning.text", "signature": "S==", "index": 0, "format": "x"}]}),
                json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "E1", "id": "1", "index": 1}]}),
                json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "E2", "id": "2", "index": 1}]}),
            ],
            false,
        );
        assert_eq!(shown, "ab");
        assert_eq!(
            message,
            json!({"reasoning_details": [
                {"type": "reasoning.text", "text": "ab", "signature": "S==", "index": 0, "format": "x"},
                {"type": "reasoning.encrypted", "data": "E1", "id": "1", "index": 1},
                {"type": "reasoning.encrypted", "data": "E2", "id": "2", "index": 1},
            ]})
        );
    }

    #[test]
    fn thinking_blocks_end_with_their_signature() {
        let block = |thinking: &str, signature: &str| json!({"thinking_blocks": [{"type": "thinking", "thinking": thinking, "signature": signature}]});
        let (_, message) =
            replayed(&[block("a", ""), block("b", ""), block("", "S1"), block("c", "S2")], true);
        assert_eq!(
            message,
            json!({"thinking_blocks": [
                {"type": "thinking", "thinking": "ab", "signature": "S1"},
                {"type": "thinking", "thinking": "c", "signature": "S2"},
            ]})
        );
    }
}
