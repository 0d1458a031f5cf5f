//! The URL of a call, at Google AI Studio and on Vertex AI.

use url::Url;

/// API versions that a configured base URL may end with.
const VERSIONS: &[&str] = &["v1", "v1beta", "v1beta1", "v1alpha"];

/// The host that serves the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GeminiEndpoint {
    /// Google AI Studio.
    Studio,
    /// Vertex AI.
    Vertex {
        /// The project that is billed.
        project: String,
        /// The region, or `global`.
        location: String,
    },
}

impl GeminiEndpoint {
    /// Returns the URL of a streaming call. The path of the base URL is kept, and its version if it has one.
    pub(super) fn url(&self, base: &Url, model: &str) -> Url {
        let mut url = base.clone();
        let has_version = base
            .path_segments()
            .and_then(|segments| segments.rev().find(|segment| !segment.is_empty()))
            .is_some_and(|last| VERSIONS.contains(&last));
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty();
            if !has_version {
                path.push(self.version());
            }
            path.extend(self.collection(model));
            path.push(&format!("{}:streamGenerateContent", model.rsplit('/').next().unwrap_or(model)));
        }
        url.query_pairs_mut().append_pair("alt", "sse");
        url
    }

    fn version(&self) -> &'static str {
        match self {
            Self::Studio => "v1beta",
            Self::Vertex { .. } => "v1",
        }
    }

    /// Returns the path before the model name; the configured name may contain its own.
    fn collection<'a>(&'a self, model: &'a str) -> Vec<&'a str> {
        let own = model.rsplit_once('/').map(|(collection, _)| collection.split('/'));
        match self {
            Self::Studio => own.map_or_else(|| vec!["models"], Iterator::collect),
            Self::Vertex { project, location } => {
                let location = ["projects", project.as_str(), "locations", location.as_str()];
                let within = own.map_or_else(|| vec!["publishers", "google", "models"], Iterator::collect);
                location.into_iter().chain(within).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_path_and_version_of_the_base_url() {
        let vertex = GeminiEndpoint::Vertex { project: "p".to_owned(), location: "global".to_owned() };
        let google = "publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse";
        for (endpoint, base, model, expected) in [
            (&GeminiEndpoint::Studio, "https://a.example", "gemini-3-pro", "v1beta/models/gemini-3-pro"),
            (
                &GeminiEndpoint::Studio,
                "https://a.example/",
                "models/gemini-3-pro",
                "v1beta/models/gemini-3-pro",
            ),
            (
                &GeminiEndpoint::Studio,
                "https://a.example/v1beta/",
                "gemini-3-pro",
                "v1beta/models/gemini-3-pro",
            ),
            (
                &GeminiEndpoint::Studio,
                "https://a.example/g/w",
                "gemini-3-pro",
                "g/w/v1beta/models/gemini-3-pro",
            ),
            (&GeminiEndpoint::Studio, "https://a.example/g/v1", "tunedModels/a b", "g/v1/tunedModels/a%20b"),
        ] {
            let url = endpoint.url(&base.parse().unwrap(), model);
            let expected = format!("https://a.example/{expected}:streamGenerateContent?alt=sse");
            assert_eq!(url.as_str(), expected, "{base} {model}");
        }
        for (base, path) in [("https://a.example", "v1"), ("https://a.example/v1beta1", "v1beta1")] {
            let url = vertex.url(&base.parse().unwrap(), "gemini-3-pro");
            assert_eq!(
                url.as_str(),
                format!("https://a.example/{path}/projects/p/locations/global/{google}")
            );
        }
    }
}
