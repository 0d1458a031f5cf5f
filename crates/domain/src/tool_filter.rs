//! Which tools of a server are there for agents.

/// Names of tools, where `*` stands for any text: some may be allowed, some are denied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Only these; without it, all.
    pub allow: Option<Vec<String>>,
    /// Not these, even if they are allowed.
    pub deny: Vec<String>,
}

impl ToolFilter {
    /// Whether a tool passes. The name is the server's own, without the server.
    pub fn passes(&self, tool: &str) -> bool {
        let allowed = self.allow.as_ref().is_none_or(|allow| any_matches(allow, tool));
        allowed && !any_matches(&self.deny, tool)
    }
}

fn any_matches(patterns: &[String], tool: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, tool))
}

/// Whether a name fits a pattern. The pieces between stars are found from left to right, each as early as it can be;
/// only the last one must be at the end.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    for piece in middle.split('*') {
        let Some(at) = name.find(piece) else { return false };
        name = &name[at + piece.len()..];
    }
    name.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        let cases = [
            ("pods_list", "pods_list", true),
            ("pods_list", "pods_list2", false),
            ("pods_*", "pods_list", true),
            ("*_list", "pods_list", true),
            ("*list*", "list", true),
            ("p*s_*t", "pods_list", true),
            ("p*s_*x", "pods_list", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("", "a", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn what_is_denied_is_denied_even_if_it_is_allowed() {
        let filter = ToolFilter { allow: Some(vec!["pods_*".to_owned()]), deny: vec!["*_delete".to_owned()] };
        assert!(filter.passes("pods_list"));
        assert!(!filter.passes("pods_delete"));
        assert!(!filter.passes("nodes_list"));
        assert!(ToolFilter::default().passes("anything"));
    }
}
