//! Where a request goes.

use tarsy_domain::ModelFailureKind;
use url::Url;

use crate::ModelError;

/// Through whom the model is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    /// Anthropic, or a gateway that looks like it.
    Direct,
    /// Google's Vertex AI.
    Vertex { project: String, location: String },
}

impl Route {
    /// The address of a streaming call.
    pub(super) fn url(&self, base: &Url, model: &str) -> Result<Url, ModelError> {
        match self {
            Self::Direct => join(base, &["v1", "messages"]),
            Self::Vertex { project, location } => {
                let call = format!("{model}:streamRawPredict");
                let place = ["v1", "projects", project, "locations", location];
                let model = ["publishers", "anthropic", "models", &call];
                join(base, &[place.as_slice(), model.as_slice()].concat())
            }
        }
    }
}

/// Puts a path behind a base that may already hold the beginning of it, such as the version.
fn join(base: &Url, path: &[&str]) -> Result<Url, ModelError> {
    let mut url = base.clone();
    let held: Vec<&str> = base.path().split('/').filter(|segment| !segment.is_empty()).collect();
    let known = (1..=path.len()).rev().find(|&length| held.ends_with(&path[..length])).unwrap_or(0);
    url.path_segments_mut()
        .map_err(|()| {
            let message = format!("the base URL {base} cannot hold a path; https://host/ would be right");
            ModelError::new(ModelFailureKind::InvalidRequest, message)
        })?
        .pop_if_empty()
        .extend(&path[known..]);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(route: &Route, base: &str) -> String {
        route.url(&base.parse().unwrap(), "claude-opus-4-1@20250805").unwrap().to_string()
    }

    #[test]
    fn a_base_may_end_with_a_slash_or_hold_part_of_the_path() {
        let cases = [
            ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
            ("https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"),
            ("https://gate.example/team/a", "https://gate.example/team/a/v1/messages"),
            ("https://gate.example/team/a/v1/", "https://gate.example/team/a/v1/messages"),
            ("https://gate.example/v1/messages", "https://gate.example/v1/messages"),
            ("https://gate.example/x?tenant=1", "https://gate.example/x/v1/messages?tenant=1"),
        ];
        for (base, expected) in cases {
            assert_eq!(url(&Route::Direct, base), expected);
        }
    }

    #[test]
    fn vertex_names_the_project_the_place_and_the_model() {
        let route = Route::Vertex { project: "ops".to_owned(), location: "europe-west1".to_owned() };
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
    fn a_base_without_a_path_is_explained() {
        let error = Route::Direct.url(&"mailto:someone@example.com".parse().unwrap(), "m").unwrap_err();
        assert_eq!(error.failure.kind, ModelFailureKind::InvalidRequest);
    }
}
