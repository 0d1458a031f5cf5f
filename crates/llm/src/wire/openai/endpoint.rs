//! The address of a call.

use url::Url;

/// Where a call goes: the base with its whole path and query, and the call's path behind it.
///
/// A base that is only a host, as local servers are often written, gets the version segment that they all
/// serve. A base with a path is taken at its word: gateways put the version wherever they like.
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
    fn base_path_and_query_are_kept() {
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
