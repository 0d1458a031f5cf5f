//! Filters the tools of a server that agents may use.

/// Allow and deny lists of tool names, in which `*` matches any text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Allowed tools; `None` allows all.
    pub allow: Option<Vec<String>>,
    /// Denied tools; takes precedence over `allow`.
    pub deny: Vec<String>,
}

impl ToolFilter {
    /// Returns whether a tool passes the filter. `tool` is the name without the server prefix.
    pub fn passes(&self, tool: &str) -> bool {
        let allowed = self.allow.as_ref().is_none_or(|allow| any_matches(allow, tool));
        allowed && !any_matches(&self.deny, tool)
    }
}

fn any_matches(patterns: &[String], tool: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, tool))
}

/// Returns whether a name matches a pattern. The pieces between stars are matched greedily from left to
/// right, each at its first occurrence; the last piece must be a suffix.
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
    fn a_star_matches_any_text() {
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
    fn deny_takes_precedence_over_allow() {
        let filter = ToolFilter { allow: Some(vec!["pods_*".to_owned()]), deny: vec!["*_delete".to_owned()] };
        assert!(filter.passes("pods_list"));
        assert!(!filter.passes("pods_delete"));
        assert!(!filter.passes("nodes_list"));
        assert!(ToolFilter::default().passes("anything"));
    }
}
