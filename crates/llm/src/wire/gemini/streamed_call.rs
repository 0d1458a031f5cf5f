//! A tool call whose arguments are streamed, assembled into one complete call.
//!
//! The first fragment has the name, further ones `partialArgs`: values by path, strings in pieces. A call
//! continues while its fragments have `willContinue`. Vertex AI streams arguments on request, gateways also
//! without one.
//! <https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling>

use std::collections::{BTreeMap, HashSet};

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::fields::JsonFields;
use super::json_path::{self, PathStep};
use crate::ModelError;
use crate::error::provider_bug;

/// The fields of a fragment that hold a value.
const VALUES: &[&str] = &["stringValue", "numberValue", "boolValue", "structValue", "listValue"];

/// How much of an invalid path is quoted.
const QUOTED_CHARACTERS: usize = 100;

/// A call that is being assembled.
#[derive(Debug)]
pub(super) struct StreamedCall {
    name: String,
    id: Option<String>,
    arguments: Value,
    /// Paths whose values continue in another fragment.
    unfinished: HashSet<Vec<PathStep>>,
    /// Other fields of the parts, such as the signature.
    fields: BTreeMap<String, Box<RawValue>>,
}

impl StreamedCall {
    /// Begins a call, if a part is the first fragment of one.
    pub(super) fn begin(call: &JsonFields) -> Option<Self> {
        let name = call.text("name").filter(|name| !name.is_empty())?;
        let is_fragment = call.flag("willContinue") || call.raw("partialArgs").is_some();
        is_fragment.then(|| Self {
            name,
            id: call.text("id"),
            arguments: Value::Object(Map::new()),
            unfinished: HashSet::new(),
            fields: BTreeMap::new(),
        })
    }

    /// Returns whether a fragment belongs to another call, although this one has not ended.
    pub(super) fn is_interrupted_by(&self, call: &JsonFields) -> bool {
        let other_name = call.text("name").is_some_and(|name| !name.is_empty() && name != self.name);
        let other_id = match (&self.id, call.text("id")) {
            (Some(own), Some(id)) => *own != id,
            (Some(_), None) | (None, _) => false,
        };
        other_name || other_id
    }

    /// Adds a fragment and returns whether it is the last one.
    pub(super) fn add(&mut self, part: &JsonFields, call: &JsonFields) -> Result<bool, ModelError> {
        self.fields.extend(part.others("functionCall").map(|(name, raw)| (name.to_owned(), raw.to_owned())));
        self.id = self.id.take().or_else(|| call.text("id"));
        if let (Some(Value::Object(arguments)), Value::Object(known)) =
            (call.value("args"), &mut self.arguments)
        {
            known.extend(arguments);
        }
        for argument in call.list("partialArgs") {
            self.add_argument(&serde_json::from_str(argument.get()).unwrap_or_default())?;
        }
        Ok(!call.flag("willContinue"))
    }

    fn add_argument(&mut self, argument: &Map<String, Value>) -> Result<(), ModelError> {
        let path = argument.get("jsonPath").and_then(Value::as_str).unwrap_or_default();
        let invalid = || {
            let start: String = path.chars().take(QUOTED_CHARACTERS).collect();
            provider_bug(format!("a streamed argument has the invalid path `{start}`"))
        };
        let steps = json_path::parse(path).ok_or_else(invalid)?;
        let continues = self.unfinished.remove(&steps);
        let value = VALUES.iter().find_map(|name| argument.get(*name)).filter(|value| !value.is_null());
        if value.is_some() || argument.contains_key("nullValue") {
            let target = json_path::value_at(&mut self.arguments, &steps).ok_or_else(invalid)?;
            match (target, value) {
                (Value::String(known), Some(Value::String(more))) if continues => known.push_str(more),
                (target, value) => *target = value.cloned().unwrap_or_default(),
            }
        }
        if argument.get("willContinue") == Some(&Value::Bool(true)) {
            self.unfinished.insert(steps);
        }
        Ok(())
    }

    /// Returns whether every value is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.unfinished.is_empty()
    }

    /// Returns the name of the tool.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the call as one part, as if it had not been streamed.
    pub(super) fn into_part(mut self) -> Option<Box<RawValue>> {
        let mut call = Map::new();
        call.insert("name".to_owned(), self.name.into());
        call.extend(self.id.map(|id| ("id".to_owned(), id.into())));
        call.insert("args".to_owned(), self.arguments);
        self.fields.insert("functionCall".to_owned(), to_raw_value(&call).ok()?);
        to_raw_value(&self.fields).ok()
    }
}
