//! Suggestions for a name that does not exist.

use tarsy_domain::similar_names;

/// Suggests similar names, or else lists the known ones.
pub(crate) fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    known.dedup();
    let similar = similar_names(name, known.iter().copied());
    match (similar.is_empty(), known.is_empty()) {
        (false, _) => format!("did you mean {}?", similar.join(" or ")),
        (true, false) => format!("there are: {}", known.join(", ")),
        (true, true) => "there are none".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_similar_names_or_lists_the_known_ones() {
        let known = ["checkout-1", "catalog-1", "node-a"];
        assert_eq!(suggestion("chekout-1", known), "did you mean checkout-1?");
        assert_eq!(suggestion("zzz", known), "there are: catalog-1, checkout-1, node-a");
        assert_eq!(suggestion("zzz", []), "there are none");
    }
}
