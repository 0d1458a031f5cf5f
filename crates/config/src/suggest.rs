//! Suggestions in messages about an unknown name.
//!
//! Every such message is completed here, so that all of them have the same form. `tarsy_domain::closest_name`
//! selects the suggested name.

use tarsy_domain::closest_name;

/// Returns ``, did you mean `x`?``, or an empty text if no candidate is close.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    closest_name(name, candidates)
        .map(|candidate| format!(", did you mean `{candidate}`?"))
        .unwrap_or_default()
}

/// Returns the end of a message about an unknown name: the closest known one, and all that are available.
pub(crate) fn instead<'a>(name: &str, available: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let suggestion = did_you_mean(name, available.clone());
    let separator = if suggestion.is_empty() { "," } else { suggestion.as_str() };
    format!("{separator} available: {}", list(available))
}

/// Joins the names with commas.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}
