//! Tool calls, assembled from fragments.
//!
//! The index of a fragment identifies its call, but servers differ: some use one index for all calls, some
//! none, some repeat ids and names, some send a call in one fragment.

use serde_json::{Map, Value, json};
use tarsy_domain::ToolCall;
use tracing::debug;

use super::arguments::PartialArguments;
use crate::names::NameTable;
use crate::wire::openai::CallIds;

/// The tool calls of one reply.
#[derive(Debug, Default)]
pub(super) struct ToolDeltas {
    calls: Vec<PartialCall>,
}

/// A complete call, and its native form for later requests.
#[derive(Debug)]
pub(super) struct FinishedCall {
    pub(super) call: ToolCall,
    pub(super) native: Value,
}

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: PartialArguments,
    /// Other fields, such as signatures.
    extra: Map<String, Value>,
}

/// One fragment.
struct Fragment<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
    whole: &'a Value,
}

impl ToolDeltas {
    /// Adds the fragments of a delta.
    pub(super) fn push(&mut self, delta: &Value) {
        let fragments = delta.get("tool_calls").and_then(Value::as_array);
        for fragment in fragments.into_iter().flatten().filter(|fragment| fragment.is_object()) {
            self.add(&Fragment::read(fragment));
        }
    }

    /// Returns whether no call has started.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the calls in order, each with a unique id. Calls without a name are dropped, and incomplete
    /// ones if the token limit truncated the reply.
    pub(super) fn finish(
        &mut self,
        is_truncated: bool,
        ids: &mut CallIds,
        names: &NameTable,
    ) -> Vec<FinishedCall> {
        let calls = std::mem::take(&mut self.calls);
        let usable = calls.into_iter().filter(|call| {
            let usable = !call.name.is_empty() && (!is_truncated || call.arguments.is_complete());
            if !usable {
                debug!("a tool call has no name or is incomplete; it is dropped");
            }
            usable
        });
        usable.map(|call| call.finish(ids, names)).collect()
    }

    fn add(&mut self, fragment: &Fragment<'_>) {
        let position =
            self.position(fragment).filter(|position| !self.calls[*position].is_followed_by(fragment));
        if let Some(position) = position {
            return self.calls[position].add(fragment);
        }
        let mut call = PartialCall { index: fragment.index, ..PartialCall::default() };
        call.add(fragment);
        self.calls.push(call);
    }

    /// Returns the call that a fragment may continue: the last one with its index, or its id, or else the
    /// last one.
    fn position(&self, fragment: &Fragment<'_>) -> Option<usize> {
        if fragment.index.is_some() {
            return self.calls.iter().rposition(|call| call.index == fragment.index);
        }
        if !fragment.id.is_empty() {
            let known = self.calls.iter().rposition(|call| call.id == fragment.id);
            return known.or_else(|| self.calls.iter().rposition(|call| call.id.is_empty()));
        }
        self.calls.len().checked_sub(1)
    }
}

impl<'a> Fragment<'a> {
    fn read(whole: &'a Value) -> Self {
        let function = &whole["function"];
        let arguments = match &function["arguments"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            object @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                object.to_string()
            }
        };
        Self {
            index: whole["index"].as_u64(),
            id: whole["id"].as_str().unwrap_or_default(),
            name: function["name"].as_str().unwrap_or_default(),
            arguments,
            whole,
        }
    }
}

impl PartialCall {
    /// Returns whether a fragment that could continue this call starts another one.
    fn is_followed_by(&self, fragment: &Fragment<'_>) -> bool {
        if fragment.name.is_empty() || self.name.is_empty() || !self.arguments.is_complete() {
            return false;
        }
        let other_id = !fragment.id.is_empty() && !self.id.is_empty() && fragment.id != self.id;
        let is_repeated = !self.arguments.is_empty() && !fragment.arguments.is_empty();
        other_id || (fragment.id.is_empty() && is_repeated)
    }

    fn add(&mut self, fragment: &Fragment<'_>) {
        if self.id.is_empty() {
            fragment.id.clone_into(&mut self.id);
        }
        if fragment.name.starts_with(&self.name) {
            fragment.name.clone_into(&mut self.name);
        } else {
            self.name.push_str(fragment.name);
        }
        self.arguments.push(&fragment.arguments);
        let fields = fragment.whole.as_object().into_iter().flatten();
        for (key, value) in fields.filter(|(key, value)| is_extra(key) && !value.is_null()) {
            self.extra.insert(key.clone(), value.clone());
        }
    }

    fn finish(self, ids: &mut CallIds, names: &NameTable) -> FinishedCall {
        let id = ids.claim(&self.id);
        let arguments = self.arguments.finish();
        let mut native = json!({
            "id": id,
            "type": "function",
            "function": {"name": self.name, "arguments": arguments},
        });
        if let Some(native) = native.as_object_mut() {
            native.extend(self.extra);
        }
        FinishedCall { call: ToolCall { id, name: names.canonical(&self.name), arguments }, native }
    }
}

fn is_extra(key: &str) -> bool {
    !matches!(key, "index" | "id" | "type" | "function")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Index, id, name and arguments of each fragment.
    type FragmentRow = (Option<u64>, &'static str, &'static str, Option<&'static str>);

    fn fragment((index, id, name, arguments): FragmentRow) -> Value {
        json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
    }

    fn calls(rows: &[FragmentRow]) -> Vec<String> {
        let mut deltas = ToolDeltas::default();
        for row in rows {
            deltas.push(&json!({"tool_calls": [fragment(*row)]}));
        }
        shown(&deltas.finish(false, &mut CallIds::default(), &NameTable::default()))
    }

    fn shown(finished: &[FinishedCall]) -> Vec<String> {
        let calls = finished.iter().map(|finished| &finished.call);
        calls.map(|call| format!("{} {}{}", call.id, call.name, call.arguments)).collect()
    }

    #[test]
    fn assigns_fragments_by_index() {
        let (one, two) = (Some(0), Some(1));
        let whole = Some("{}");
        let cases: [(&str, &[FragmentRow], &[&str]); 8] = [
            (
                "interleaved",
                &[
                    (one, "a", "get", Some("")),
                    (two, "b", "put", Some("{\"x\"")),
                    (one, "", "", whole),
                    (two, "", "", Some(":1}")),
                ],
                &["a get{}", "b put{\"x\":1}"],
            ),
            (
                "repeated id and name",
                &[(one, "a", "get", Some("{")), (one, "a", "get", Some("}"))],
                &["a get{}"],
            ),
            ("name in pieces", &[(one, "a", "ge", None), (one, "", "t_it", None)], &["a get_it{}"]),
            ("name growing", &[(one, "a", "ge", None), (one, "", "get", whole)], &["a get{}"]),
            (
                "one index for all",
                &[(one, "a", "get", whole), (one, "b", "get", whole)],
                &["a get{}", "b get{}"],
            ),
            (
                "name with every fragment",
                &[(one, "", "get", Some("{\"x\":")), (one, "", "get", Some("{}}")), (one, "", "get", whole)],
                &["call00000 get{\"x\":{}}", "call00001 get{}"],
            ),
            ("new ids", &[(one, "a", "get", Some("{")), (one, "b", "", Some("}"))], &["a get{}"]),
            (
                "one id for all",
                &[(one, "0", "get", whole), (two, "0", "put", whole)],
                &["0 get{}", "call00001 put{}"],
            ),
        ];
        for (case, rows, expected) in cases {
            assert_eq!(calls(rows), expected, "{case}");
        }
    }

    #[test]
    fn assigns_fragments_without_an_index() {
        let whole = Some("{}");
        let cases: [(&str, &[FragmentRow], &[&str]); 2] = [
            (
                "by id",
                &[
                    (None, "a", "get", Some("{")),
                    (None, "a", "", Some("}")),
                    (None, "b", "put", Some("")),
                    (None, "", "", whole),
                ],
                &["a get{}", "b put{}"],
            ),
            (
                "by name",
                &[(None, "", "get", whole), (None, "", "put", whole)],
                &["call00000 get{}", "call00001 put{}"],
            ),
        ];
        for (case, rows, expected) in cases {
            assert_eq!(calls(rows), expected, "{case}");
        }
    }

    /// A parser that reads everything again with each fragment would take an hour.
    #[test]
    fn cost_per_fragment_is_constant() {
        let mut deltas = ToolDeltas::default();
        let mut arguments = vec!["{\"x\": ["];
        arguments.extend(std::iter::repeat_n("{}, ", 200_000));
        arguments.push("1]}");
        for part in &arguments {
            deltas.push(&json!({"tool_calls": [fragment((None, "", "get", Some(part)))]}));
        }
        let finished = deltas.finish(true, &mut CallIds::default(), &NameTable::default());
        assert_eq!(shown(&finished), [format!("call00000 get{}", arguments.concat())]);
    }

    #[test]
    fn arguments_may_be_an_object() {
        let mut deltas = ToolDeltas::default();
        deltas.push(&json!({"tool_calls": [{"function": {"name": "get", "arguments": {"x": 1}}}]}));
        let finished = deltas.finish(false, &mut CallIds::default(), &NameTable::default());
        assert_eq!(shown(&finished), ["call00000 get{\"x\":1}"]);
    }

    #[test]
    fn unknown_fields_of_a_call_are_sent_back() {
        let mut deltas = ToolDeltas::default();
        deltas.push(&json!({"tool_calls": [{"index": 0, "id": "a", "type": "function",
            "function": {"name": "get", "arguments": "{}"}, "extra_content": {"google": {"thought_signature": "S"}}}]}));
        let finished = deltas.finish(false, &mut CallIds::default(), &NameTable::default());
        assert_eq!(
            finished[0].native,
            json!({"id": "a", "type": "function", "function": {"name": "get", "arguments": "{}"},
                "extra_content": {"google": {"thought_signature": "S"}}})
        );
    }

    #[test]
    fn drops_a_truncated_call() {
        let mut deltas = ToolDeltas::default();
        deltas.push(&json!({"tool_calls": [fragment((Some(0), "a", "get", Some("{}")))]}));
        deltas.push(&json!({"tool_calls": [fragment((Some(1), "b", "put", Some("{\"x\": \"lo")))]}));
        let finished = deltas.finish(true, &mut CallIds::default(), &NameTable::default());
        assert_eq!(shown(&finished), ["a get{}"]);
    }
}
