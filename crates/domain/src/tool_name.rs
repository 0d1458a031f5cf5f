//! Which tool was meant: a name that a model wrote, held against the names there are.
//!
//! Small slips are forgiven as long as only one tool can be meant; a name that fits two is unknown. Nothing here
//! decides what a tool may do.

use thiserror::Error;

/// How many names are proposed.
const NEAREST: usize = 3;
/// How alike two names must be to be proposed for each other, from 0 to 1.
const ALIKE: f64 = 0.75;
/// No tool has a longer name, and comparing costs the product of both lengths.
const COMPARED_BYTES: usize = 128;

/// A name that is no tool's, with those that come near.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown tool `{asked}`")]
pub struct UnknownTool {
    /// The name as it was asked for.
    pub asked: String,
    /// Names that may have been meant, the most likely first.
    pub nearest: Vec<String>,
}

/// How freely a name is read; each one forgives what the one before does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Letter by letter.
    Exact,
    /// Any capitals, and `server__tool` for `server.tool`.
    AnyCase,
    /// `-` for `_` and the other way round.
    AnyDash,
}

/// Finds the one known tool that `asked` means.
///
/// Quotes around the name, capitals, `server__tool`, a missing server and mixed-up dashes are forgiven, in this
/// order, and only as long as one tool alone fits.
pub fn resolve_tool_name<'a>(
    asked: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Result<&'a str, UnknownTool> {
    let name = asked.trim_matches(|c: char| c.is_whitespace() || "\"'`“”‘’".contains(c));
    for reading in [Reading::Exact, Reading::AnyCase, Reading::AnyDash] {
        let wanted = reading.of(name);
        let whole = known.clone().into_iter().filter(|tool| reading.of(tool) == wanted);
        let bare = known.clone().into_iter().filter(|tool| reading.of(tool_part(tool)) == wanted);
        if let Some(tool) = only(whole).or_else(|| only(bare)) {
            return Ok(tool);
        }
    }
    Err(UnknownTool { asked: asked.to_owned(), nearest: nearest(name, known) })
}

impl Reading {
    fn of(self, name: &str) -> String {
        match self {
            Self::Exact => name.to_owned(),
            Self::AnyCase => name.to_lowercase().replacen("__", ".", 1),
            Self::AnyDash => Self::AnyCase.of(name).replace('-', "_"),
        }
    }
}

fn tool_part(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, tool)| tool)
}

/// The name that all matches are; a list may hold the same name twice.
fn only<'a>(mut matches: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let first = matches.next()?;
    matches.all(|other| other == first).then_some(first)
}

fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let name = Reading::AnyDash.of(&name[..name.floor_char_boundary(COMPARED_BYTES)]);
    let mut alike: Vec<(f64, &str)> = known
        .into_iter()
        .map(|tool| (likeness(&name, tool), tool))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    alike.dedup();
    alike.into_iter().take(NEAREST).map(|(_, tool)| tool.to_owned()).collect()
}

/// How alike a name is to a tool's: as a whole, or its tool part to the tool's alone.
fn likeness(name: &str, tool: &str) -> f64 {
    let tool = Reading::AnyDash.of(&tool[..tool.floor_char_boundary(COMPARED_BYTES)]);
    let whole = strsim::normalized_damerau_levenshtein(name, &tool);
    whole.max(strsim::normalized_damerau_levenshtein(tool_part(name), tool_part(&tool)))
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

    fn nearest_to(asked: &str) -> Vec<String> {
        resolve_tool_name(asked, KNOWN).unwrap_err().nearest
    }

    #[test]
    fn small_slips_are_forgiven() {
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
        for (asked, tool) in cases {
            assert_eq!(resolve_tool_name(asked, KNOWN), Ok(tool), "{asked}");
        }
    }

    #[test]
    fn a_name_that_fits_two_tools_is_unknown_and_both_are_near() {
        assert_eq!(nearest_to("search"), ["grafana.search", "web.search"]);
    }

    #[test]
    fn the_exact_spelling_decides_between_tools_that_differ_in_dashes() {
        let known = ["a.b_c", "a.b-c"];
        assert_eq!(resolve_tool_name("a.b-c", known), Ok("a.b-c"));
        assert_eq!(resolve_tool_name("A.B_C", known), Ok("a.b_c"));
        assert!(resolve_tool_name("a-b_c", known).is_err());
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_come_near() {
        assert_eq!(nearest_to("kubernetes.pod_list"), ["kubernetes.pods_list", "kubernetes.pods_log"]);
        assert_eq!(nearest_to("k8s.pods_list"), ["kubernetes.pods_list"]);
        assert_eq!(nearest_to("restart_everything"), Vec::<String>::new());
        assert_eq!(nearest_to(""), Vec::<String>::new());
    }

    #[test]
    fn the_same_name_twice_is_one_tool() {
        assert_eq!(resolve_tool_name("b", ["a.b", "a.b"]), Ok("a.b"));
    }

    #[test]
    fn an_endless_name_costs_no_more_than_a_long_one() {
        assert!(resolve_tool_name(&"ü.".repeat(1_000_000), KNOWN).is_err());
    }
}
