//! Names that may have been meant, for whoever misspelt one.

/// How alike two names must be for one to stand for the other.
const ALIKE: f64 = 0.75;
/// More would not help.
const MOST: usize = 3;

/// The sentence about a name that does not exist: what may have been meant, or else what there is.
pub(crate) fn instead<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    known.dedup();
    let mut nearest: Vec<&str> =
        known.iter().copied().filter(|other| likeness(name, other) >= ALIKE).collect();
    nearest.sort_by(|one, other| likeness(name, other).total_cmp(&likeness(name, one)));
    nearest.truncate(MOST);
    match (nearest.is_empty(), known.is_empty()) {
        (false, _) => format!("did you mean {}?", nearest.join(" or ")),
        (true, false) => format!("there are: {}", known.join(", ")),
        (true, true) => "there are none".to_owned(),
    }
}

fn likeness(name: &str, other: &str) -> f64 {
    strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_answered_with_the_nearest() {
        let known = ["checkout-1", "catalog-1", "node-a"];
        assert_eq!(instead("chekout-1", known), "did you mean checkout-1?");
        assert_eq!(instead("zzz", known), "there are: catalog-1, checkout-1, node-a");
        assert_eq!(instead("zzz", []), "there are none");
    }
}
