//! Resolves a tool name to a known tool.
//!
//! Small mistakes of a model are tolerated as long as exactly one known tool matches. Permissions are not
//! checked here.

use thiserror::Error;

use crate::ToolName;
use crate::text::suggest::{compared_part, most_similar, similarity};

/// A name that no known tool has, with similar ones.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown tool `{requested}`")]
pub struct UnknownTool {
    /// The name as it was written.
    pub requested: String,
    /// Known names that are similar, the most similar first.
    pub nearest: Vec<String>,
}

/// How strictly names are compared; each level also tolerates everything that the previous one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameMatch {
    /// Byte for byte.
    Exact,
    /// Any case, and `server__tool` for `server.tool`.
    IgnoreCase,
    /// `-` and `_` are equal.
    IgnoreDashes,
}

/// Returns the one known tool that `requested` refers to.
///
/// Quotes around the name, different case, `server__tool`, a missing server and mixed-up dashes are
/// tolerated, in this order, and only if exactly one tool matches.
pub fn resolve_tool_name<'a>(
    requested: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Result<&'a str, UnknownTool> {
    let name = requested.trim_matches(|c: char| c.is_whitespace() || "\"'`“”‘’".contains(c));
    for level in [NameMatch::Exact, NameMatch::IgnoreCase, NameMatch::IgnoreDashes] {
        let wanted = level.normalize(name);
        let whole = known.clone().into_iter().filter(|tool| level.normalize(tool) == wanted);
        let bare =
            known.clone().into_iter().filter(|tool| level.normalize(ToolName::parse(tool).tool()) == wanted);
        if let Some(tool) = only(whole).or_else(|| only(bare)) {
            return Ok(tool);
        }
    }
    Err(UnknownTool { requested: requested.to_owned(), nearest: nearest(name, known) })
}

impl NameMatch {
    fn normalize(self, name: &str) -> String {
        match self {
            Self::Exact => name.to_owned(),
            Self::IgnoreCase => name.to_lowercase().replacen("__", ".", 1),
            Self::IgnoreDashes => Self::IgnoreCase.normalize(name).replace('-', "_"),
        }
    }
}

/// Returns the matching name if all matches are equal; a list may contain the same name twice.
fn only<'a>(mut matches: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let first = matches.next()?;
    matches.all(|other| other == first).then_some(first)
}

/// Returns the known names that are similar as a whole, or whose tool part is similar to the tool part of
/// `name`.
fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let name = NameMatch::IgnoreDashes.normalize(compared_part(name));
    let similar = most_similar(known, |known| {
        let known = NameMatch::IgnoreDashes.normalize(compared_part(known));
        let bare = similarity(ToolName::parse(&name).tool(), ToolName::parse(&known).tool());
        similarity(&name, &known).max(bare)
    });
    similar.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = [
        "kubernetes.pods_list",
        "kubernetes.pods_log",
        "kubernetes.events_list",
        "grafana.query-loki",
        "grafana.search",
        "web.search",
    ];

    fn nearest_to(requested: &str) -> Vec<String> {
        resolve_tool_name(requested, KNOWN).unwrap_err().nearest
    }

    #[test]
    fn tolerates_small_mistakes() {
        let cases = [
            ("kubernetes.pods_list", "kubernetes.pods_list"),
            ("`kubernetes.pods_list`", "kubernetes.pods_list"),
            (" \"Kubernetes.Pods_List\" ", "kubernetes.pods_list"),
            ("kubernetes__pods_log", "kubernetes.pods_log"),
            ("pods_log", "kubernetes.pods_log"),
            ("PODS_LOG", "kubernetes.pods_log"),
            ("grafana.query_loki", "grafana.query-loki"),
            ("query_loki", "grafana.query-loki"),
            ("kubernetes__events-list", "kubernetes.events_list"),
        ];
        for (requested, tool) in cases {
            assert_eq!(resolve_tool_name(requested, KNOWN), Ok(tool), "{requested}");
        }
    }

    #[test]
    fn rejects_an_ambiguous_name_and_suggests_both() {
        assert_eq!(nearest_to("search"), ["grafana.search", "web.search"]);
    }

    #[test]
    fn exact_spelling_decides_between_names_that_differ_in_dashes() {
        let known = ["a.b_c", "a.b-c"];
        assert_eq!(resolve_tool_name("a.b-c", known), Ok("a.b-c"));
        assert_eq!(resolve_tool_name("A.B_C", known), Ok("a.b_c"));
        assert!(resolve_tool_name("a-b_c", known).is_err());
    }

    #[test]
    fn suggests_similar_names_for_an_unknown_one() {
        assert_eq!(nearest_to("kubernetes.pod_list"), ["kubernetes.pods_list", "kubernetes.pods_log"]);
        assert_eq!(nearest_to("k8s.pods_list"), ["kubernetes.pods_list"]);
        assert_eq!(nearest_to("restart_everything"), Vec::<String>::new());
        assert_eq!(nearest_to(""), Vec::<String>::new());
    }

    #[test]
    fn treats_a_repeated_name_as_one_tool() {
        assert_eq!(resolve_tool_name("b", ["a.b", "a.b"]), Ok("a.b"));
    }

    #[test]
    fn compares_only_the_beginning_of_a_very_long_name() {
        assert!(resolve_tool_name(&"ü.".repeat(1_000_000), KNOWN).is_err());
    }
}
