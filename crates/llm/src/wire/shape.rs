//! Recognizes successful responses that are not in the format of the API: a web page, the reply of another
//! API, any other JSON.
//!
//! Unknown events are ignored, because vendors add them without notice. But if nothing of a response was
//! known, the response is not a reply that broke off, and a retry would return the same.

use crate::ModelError;
use crate::error::provider_bug;

/// How much of a foreign response is quoted.
const QUOTED_CHARACTERS: usize = 200;

/// What is known about the format of a response.
#[derive(Debug)]
pub(crate) struct ShapeCheck {
    api: &'static str,
    is_known: bool,
    /// The beginning of the first event that is not in the format.
    foreign: Option<String>,
}

impl ShapeCheck {
    /// Returns a check for a response of this API.
    pub(crate) fn new(api: &'static str) -> Self {
        Self { api, is_known: false, foreign: None }
    }

    /// Records an event that is in the format.
    pub(crate) fn accept(&mut self) {
        self.is_known = true;
    }

    /// Records an event that is not in the format.
    pub(crate) fn reject(&mut self, data: &str) {
        if self.foreign.is_none() {
            self.foreign = Some(beginning(data));
        }
    }

    /// Returns the error for a response of which no event was in the format.
    pub(crate) fn error(&self) -> Option<ModelError> {
        let foreign = self.foreign.as_ref().filter(|_| !self.is_known)?;
        Some(provider_bug(format!(
            "the response is not one of the {} API; it begins with: {foreign}",
            self.api
        )))
    }
}

/// Returns the error for an event that is not JSON.
pub(crate) fn invalid_json(what: &str, data: &str, error: &serde_json::Error) -> ModelError {
    provider_bug(format!("{what} is not valid JSON: {error}; it begins with: {}", beginning(data)))
}

fn beginning(data: &str) -> String {
    let data = data.trim();
    match data.char_indices().nth(QUOTED_CHARACTERS) {
        Some((end, _)) => format!("{}…", &data[..end]),
        None => data.to_owned(),
    }
}
