//! "Did you mean": known names that are similar to an unknown one.
//!
//! All suggestions use one measure: the normalized Damerau-Levenshtein similarity, from 0 (nothing in common)
//! to 1 (equal). Callers write the sentence around the names.

/// Minimum similarity of each of several suggestions.
const MIN_SIMILARITY: f64 = 0.75;
/// Minimum similarity of a single suggestion, which only a person reads: one letter in three may differ.
const MIN_SIMILARITY_OF_CLOSEST: f64 = 0.66;
/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;
/// Only this many bytes of a name are compared: the cost is the product of both lengths.
const COMPARED_BYTES: usize = 128;
/// Minimum length of a name that is completed to a longer one, in characters.
const MIN_PREFIX: usize = 3;

/// Returns up to three known names that are similar to `name`, the most similar first.
///
/// Case does not matter, and `-` equals `_`.
pub fn similar_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = normalized(name);
    most_similar(known, |candidate| similarity(&name, &normalized(candidate)))
}

/// Returns the known name that was probably intended: the most similar one, or else the only one that starts
/// with `name`.
pub fn closest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let name = normalized(name);
    let score = |candidate: &str| similarity(&name, &normalized(candidate));
    let similar =
        ranked(known.clone(), MIN_SIMILARITY_OF_CLOSEST, score).first().map(|(_, closest)| *closest);
    similar.or_else(|| only_completion(&name, known))
}

/// Returns the best candidates by `score`, which is a [`similarity`]; equal ones in alphabetical order.
pub(crate) fn most_similar<'a>(
    candidates: impl IntoIterator<Item = &'a str>,
    score: impl Fn(&str) -> f64,
) -> Vec<&'a str> {
    let similar = ranked(candidates, MIN_SIMILARITY, score);
    similar.into_iter().take(MAX_SUGGESTIONS).map(|(_, candidate)| candidate).collect()
}

fn ranked<'a>(
    candidates: impl IntoIterator<Item = &'a str>,
    min_similarity: f64,
    score: impl Fn(&str) -> f64,
) -> Vec<(f64, &'a str)> {
    let mut similar: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (score(candidate), candidate))
        .filter(|(similarity, _)| *similarity >= min_similarity)
        .collect();
    similar.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    similar.dedup();
    similar
}

/// Returns how similar two names are, from 0 to 1. Costs the product of their lengths: see [`compared_part`].
pub(crate) fn similarity(one: &str, other: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(one, other)
}

/// Returns the beginning of a name, which is the part that is compared.
pub(crate) fn compared_part(name: &str) -> &str {
    &name[..name.floor_char_boundary(COMPARED_BYTES)]
}

fn normalized(name: &str) -> String {
    compared_part(name).to_lowercase().replace('-', "_")
}

fn only_completion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut found = known.into_iter().filter(|candidate| normalized(candidate).starts_with(name));
    match (found.next(), found.next()) {
        (Some(candidate), None) if name.chars().count() >= MIN_PREFIX => Some(candidate),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_closest_name_only_if_it_is_close() {
        let known =
            ["stages", "stage", "name", "KubernetesAgent", "google-default", "openai-one", "openai-two"];
        let cases = [
            ("stagess", Some("stages")),
            ("Stage", Some("stage")),
            ("kubernetesagnet", Some("KubernetesAgent")),
            ("nmae", Some("name")),
            ("nam", Some("name")),
            ("google", Some("google-default")),
            ("openai", None),
            ("foo", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(closest_name(name, known), expected, "{name}");
        }
    }

    #[test]
    fn suggests_at_most_three_names_the_most_similar_first() {
        let known = ["pods_get", "pods-list", "pods_log", "pods_logs", "pods_list"];
        assert_eq!(similar_names("Pods-Lost", known), ["pods-list", "pods_list", "pods_log"]);
        assert_eq!(similar_names("restart", known), Vec::<&str>::new());
    }
}
