//! How a file refers to variables: by shell references, or by Go templates as in files of the earlier system.

use super::{is_of_session, name, template};

/// How a file refers to variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceStyle {
    /// As `${VAR}`, or in both ways.
    Shell,
    /// As `{{.VAR}}` only.
    Templates,
}

impl ReferenceStyle {
    /// Returns the style of a file with these scalars. A default, as in `${VAR:-x}`, is a sign of shell variables.
    pub(crate) fn of(scalars: &[&str]) -> Self {
        let is_template = |text: &str| template(text).is_some_and(|(_, name)| !is_of_session(name));
        let has_default = |text: &str| {
            let name = text.strip_prefix("${").map(name).filter(|name| !name.is_empty());
            name.is_some_and(|name| text[2 + name.len()..].starts_with(":-"))
        };
        let any = |start: &str, is: &dyn Fn(&str) -> bool| {
            scalars.iter().any(|text| text.match_indices(start).any(|(at, _)| is(&text[at..])))
        };
        if any("{{", &is_template) && !any("${", &has_default) { Self::Templates } else { Self::Shell }
    }
}
