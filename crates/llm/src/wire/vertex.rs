//! The hosts of Vertex AI, which serves models of several vendors, each with its vendor's API.

use url::Url;

/// Returns the base URL for a location: a region, `global`, or the multi-region `us` or `eu`. Returns `None`
/// for an invalid location, which must not become part of a host name.
pub(crate) fn base_url(location: &str) -> Option<Url> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '-';
    if location.is_empty() || !location.chars().all(is_name) {
        return None;
    }
    let url = match location {
        "global" => "https://aiplatform.googleapis.com/".to_owned(),
        "us" | "eu" => format!("https://aiplatform.{location}.rep.googleapis.com/"),
        region => format!("https://{region}-aiplatform.googleapis.com/"),
    };
    Url::parse(&url).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_hosts_only_from_valid_locations() {
        for (location, expected) in [
            ("europe-west4", Some("https://europe-west4-aiplatform.googleapis.com/")),
            ("global", Some("https://aiplatform.googleapis.com/")),
            ("eu", Some("https://aiplatform.eu.rep.googleapis.com/")),
            ("", None),
            ("evil.example/", None),
        ] {
            assert_eq!(base_url(location).as_ref().map(Url::as_str), expected, "{location}");
        }
    }
}
