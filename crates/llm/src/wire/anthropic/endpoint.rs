//! The URL of a call, at Anthropic and on Vertex AI.

use tarsy_domain::ModelFailureKind;
use url::Url;

use crate::ModelError;

/// The host that serves the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnthropicEndpoint {
    /// Anthropic, or a gateway with the same API.
    Direct,
    /// Google's Vertex AI.
    Vertex { project: String, location: String },
}

impl AnthropicEndpoint {
    /// Returns the URL of a streaming call.
    pub(super) fn url(&self, base: &Url, model: &str) -> Result<Url, ModelError> {
        match self {
            Self::Direct => join(base, &["v1", "messages"]),
            Self::Vertex { project, location } => {
                let call = format!("{model}:streamRawPredict");
                let location = ["v1", "projects", project, "locations", location];
                let model = ["publishers", "anthropic", "models", &call];
                join(base, &[location.as_slice(), model.as_slice()].concat())
            }
        }
    }
}

/// Appends a path to a base URL. The base may already end with the first segments of the path, such as the
/// version.
fn join(base: &Url, path: &[&str]) -> Result<Url, ModelError> {
    let mut url = base.clone();
    let segments: Vec<&str> = base.path().split('/').filter(|segment| !segment.is_empty()).collect();
    let present = (1..=path.len()).rev().find(|&length| segments.ends_with(&path[..length])).unwrap_or(0);
    url.path_segments_mut()
        .map_err(|()| {
            let message = format!("the base URL {base} cannot hold a path; https://host/ would be right");
            ModelError::new(ModelFailureKind::InvalidRequest, message)
        })?
        .pop_if_empty()
        .extend(&path[present..]);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(route: &AnthropicEndpoint, base: &str) -> String {
        route.url(&base.parse().unwrap(), "claude-opus-4-1@20250805").unwrap().to_string()
    }

    #[test]
    fn a_base_url_may_end_with_a_slash_or_part_of_the_path() {
        let cases = [
            ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
            ("https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"),
            ("https://gate.example/team/a", "https://gate.example/team/a/v1/messages"),
            ("https://gate.example/team/a/v1/", "https://gate.example/team/a/v1/messages"),
            ("https://gate.example/v1/messages", "https://gate.example/v1/messages"),
            ("https://gate.example/x?tenant=1", "https://gate.example/x/v1/messages?tenant=1"),
        ];
        for (base, expected) in cases {
            assert_eq!(url(&AnthropicEndpoint::Direct, base), expected);
        }
    }

    #[test]
    fn vertex_urls_contain_project_location_and_model() {
        let route =
            AnthropicEndpoint::Vertex { project: "ops".to_owned(), location: "europe-west1".to_owned() };
        let path = "v1/projects/ops/locations/europe-west1/publishers/anthropic/models/claude-opus-4-1@20250805:streamRawPredict";
        for base in [
            "https://europe-west1-aiplatform.googleapis.com",
            "https://europe-west1-aiplatform.googleapis.com/v1/",
        ] {
            let expected = format!("https://europe-west1-aiplatform.googleapis.com/{path}");
            assert_eq!(url(&route, base), expected);
        }
    }

    #[test]
    fn rejects_a_base_url_that_cannot_have_a_path() {
        let error =
            AnthropicEndpoint::Direct.url(&"mailto:someone@example.com".parse().unwrap(), "m").unwrap_err();
        assert_eq!(error.failure.kind, ModelFailureKind::InvalidRequest);
    }
}
