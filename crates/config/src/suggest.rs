//! Finds what somebody probably meant, and says so.
//!
//! Every message about an unknown word is made here, so that they all read alike.

/// The candidate that was probably meant: one that is spelt almost alike, or the only one that begins with
/// the word.
pub(crate) fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let allowed = word.chars().count().div_ceil(3).clamp(1, 4);
    let alike = candidates
        .iter()
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(distance, candidate)| *distance <= allowed.min(candidate.chars().count() / 2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate);
    alike.or_else(|| only_one_that_begins_with(&word, &candidates))
}

fn only_one_that_begins_with<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let mut found = candidates.iter().filter(|candidate| candidate.to_lowercase().starts_with(word));
    match (found.next(), found.next()) {
        (Some(candidate), None) if word.chars().count() >= 3 => Some(candidate),
        _ => None,
    }
}

/// `, did you mean `x`?` or nothing.
pub(crate) fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    closest(word, candidates).map(|candidate| format!(", did you mean `{candidate}`?")).unwrap_or_default()
}

/// What follows the name of something unknown: what was probably meant, and everything there is.
pub(crate) fn instead<'a>(word: &str, available: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let meant = did_you_mean(word, available.clone());
    let separator = if meant.is_empty() { "," } else { meant.as_str() };
    format!("{separator} available: {}", list(available))
}

/// The words, separated by commas.
pub(crate) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_candidate_is_found_if_it_is_close() {
        let candidates =
            ["stages", "stage", "name", "KubernetesAgent", "google-default", "openai-one", "openai-two"];
        let cases = [
            ("stagess", Some("stages")),
            ("Stage", Some("stage")),
            ("kubernetesagnet", Some("KubernetesAgent")),
            ("nmae", Some("name")),
            ("google", Some("google-default")),
            ("openai", None),
            ("foo", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(closest(word, candidates), expected, "{word}");
        }
    }
}
