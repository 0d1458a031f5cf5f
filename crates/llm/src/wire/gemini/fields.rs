//! A JSON object of a response, read field by field.
//!
//! Google adds fields and values without notice. So every field is optional, and `null` or a value of an
//! unexpected type counts as missing.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// The fields of an object, each as raw JSON.
#[derive(Debug, Default)]
pub(super) struct JsonFields(HashMap<String, Box<RawValue>>);

impl JsonFields {
    /// Parses an object; anything else has no fields.
    pub(super) fn read(json: &str) -> Self {
        Self(serde_json::from_str(json).unwrap_or_default())
    }

    /// Returns a field as raw JSON.
    pub(super) fn raw(&self, name: &str) -> Option<&RawValue> {
        self.0.get(name).map(AsRef::as_ref).filter(|raw| raw.get() != "null")
    }

    /// Returns a string field.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name)
    }

    /// Returns a number field.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.value(name)
    }

    /// Returns a boolean field.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.value(name).unwrap_or_default()
    }

    /// Returns an object field.
    pub(super) fn object(&self, name: &str) -> Option<Self> {
        self.value(name).map(Self)
    }

    /// Returns the elements of a list field.
    pub(super) fn list(&self, name: &str) -> Vec<Box<RawValue>> {
        self.value(name).unwrap_or_default()
    }

    /// Returns the objects of a list field.
    pub(super) fn objects(&self, name: &str) -> Vec<Self> {
        self.list(name).iter().map(|raw| Self::read(raw.get())).collect()
    }

    /// Returns whether there is no field.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all fields but one.
    pub(super) fn others<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a RawValue)> {
        self.0.iter().filter(move |(known, _)| *known != name).map(|(known, raw)| (known.as_str(), &**raw))
    }

    /// Returns whether a field is missing, null, or of the type that `T` reads.
    pub(super) fn is_missing_or<T: DeserializeOwned>(&self, name: &str) -> bool {
        self.raw(name).is_none() || self.value::<T>(name).is_some()
    }

    /// Returns whether this is the only field.
    pub(super) fn is_only(&self, name: &str) -> bool {
        self.0.len() == 1 && self.0.contains_key(name)
    }

    /// Returns a field of type `T`.
    pub(super) fn value<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.raw(name)?.get()).ok()
    }
}
