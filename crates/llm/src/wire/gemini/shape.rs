//! The shape of a response object: which fields it must have, and their types.

use serde_json::value::RawValue;

use super::fields::JsonFields;

/// Fields of a response object, at least one of which is present.
const FIELDS: &[&str] = &["candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId"];

/// Returns whether an object is a response. Fields that are missing or null are fine; a field with a value
/// of another type is not.
pub(super) fn has_shape(response: &JsonFields) -> bool {
    FIELDS.iter().any(|name| response.raw(name).is_some())
        && response.is_missing_or::<Vec<Box<RawValue>>>("candidates")
        && response.list("candidates").iter().all(|candidate| is_candidate(candidate))
}

fn is_candidate(raw: &RawValue) -> bool {
    let candidate = JsonFields::read(raw.get());
    let content = candidate.object("content").unwrap_or_default();
    is_object(raw)
        && candidate.raw("content").is_none_or(is_object)
        && content.is_missing_or::<Vec<Box<RawValue>>>("parts")
        && content.list("parts").iter().all(|part| is_part(part))
}

fn is_part(raw: &RawValue) -> bool {
    let part = JsonFields::read(raw.get());
    is_object(raw) && part.is_missing_or::<String>("text") && part.raw("functionCall").is_none_or(is_object)
}

fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}
