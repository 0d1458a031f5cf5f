//! An object of an answer, read field by field.
//!
//! Google adds fields and values without notice. So nothing is expected to be there, `null` is as good as absent,
//! and a value of another type than the known one counts as absent too.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// The fields of an object, each as it was written.
#[derive(Debug, Default)]
pub(super) struct Fields(HashMap<String, Box<RawValue>>);

impl Fields {
    /// The fields of a JSON text; none if it is no object.
    pub(super) fn read(json: &str) -> Self {
        Self(serde_json::from_str(json).unwrap_or_default())
    }

    /// A field as it was written.
    pub(super) fn raw(&self, name: &str) -> Option<&RawValue> {
        self.0.get(name).map(AsRef::as_ref).filter(|raw| raw.get() != "null")
    }

    /// A field that holds a text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name)
    }

    /// A field that holds a number.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.value(name)
    }

    /// A field that holds yes or no.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.value(name).unwrap_or_default()
    }

    /// A field that holds an object.
    pub(super) fn object(&self, name: &str) -> Option<Self> {
        self.value(name).map(Self)
    }

    /// The members of a field that holds a list.
    pub(super) fn list(&self, name: &str) -> Vec<Box<RawValue>> {
        self.value(name).unwrap_or_default()
    }

    /// The objects of a field that holds a list of them.
    pub(super) fn objects(&self, name: &str) -> Vec<Self> {
        self.list(name).iter().map(|raw| Self::read(raw.get())).collect()
    }

    /// Whether there is this field and nothing beside it.
    pub(super) fn is_only(&self, name: &str) -> bool {
        self.0.len() == 1 && self.0.contains_key(name)
    }

    /// A field that holds something of a type.
    pub(super) fn value<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.raw(name)?.get()).ok()
    }
}
