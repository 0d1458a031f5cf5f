//! The URL of a call.

use url::Url;

/// Returns the base URL with the path of the call appended; path and query of the base are kept.
///
/// A base that is only a host, as is common for local servers, gets the segment `v1`. A base with a path is
/// used unchanged, because gateways can have the version anywhere in the path.
pub(crate) fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let prefix = base.path().trim_end_matches('/');
    let joined = match prefix {
        "" => format!("/v1/{path}"),
        prefix if prefix.ends_with(&format!("/{path}")) => prefix.to_owned(),
        prefix => format!("{prefix}/{path}"),
    };
    url.set_path(&joined);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_path_and_query_of_the_base_url() {
        for (base, expected) in [
            ("https://api.openai.com/v1/", "https://api.openai.com/v1/responses"),
            ("https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
            ("http://localhost:11434", "http://localhost:11434/v1/responses"),
            ("https://gateway.test/llm/openai/", "https://gateway.test/llm/openai/responses"),
            (
                "https://gateway.test/openai?api-version=1",
                "https://gateway.test/openai/responses?api-version=1",
            ),
            ("https://gateway.test/v1/responses", "https://gateway.test/v1/responses"),
        ] {
            assert_eq!(endpoint(&base.parse().unwrap(), "responses").as_str(), expected, "{base}");
        }
    }
}
