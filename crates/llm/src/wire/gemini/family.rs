//! What a model's name says about what it can do.

/// The generation and size of a model, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Family {
    /// Major and minor; none if the name is an alias or not of Gemini.
    version: Option<(u32, u32)>,
    /// How large it is.
    pub(super) tier: Tier,
}

/// How large a model is within its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tier {
    /// The large one.
    Pro,
    /// The fast one.
    Flash,
    /// The small one.
    FlashLite,
    /// None that is known.
    Other,
}

impl Family {
    /// Reads a name such as `gemini-2.5-flash-lite` or `models/gemini-3-pro-preview`.
    pub(super) fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let version = name.strip_prefix("gemini-").and_then(read_version);
        let tier = if name.contains("flash-lite") {
            Tier::FlashLite
        } else if name.contains("flash") {
            Tier::Flash
        } else if name.contains("-pro") {
            Tier::Pro
        } else {
            Tier::Other
        };
        Self { version, tier }
    }

    /// Whether the model is of this generation or a later one; an unknown one is of none.
    pub(super) fn is_at_least(self, major: u32, minor: u32) -> bool {
        self.version.is_some_and(|version| version >= (major, minor))
    }

    /// Whether the model is known to be older than this generation.
    pub(super) fn is_before(self, major: u32, minor: u32) -> bool {
        self.version.is_some_and(|version| version < (major, minor))
    }
}

fn read_version(rest: &str) -> Option<(u32, u32)> {
    let version = rest.split('-').next()?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_generation_and_size() {
        for (model, version, tier) in [
            ("gemini-2.5-pro", Some((2, 5)), Tier::Pro),
            ("models/gemini-2.5-flash-lite-preview-09-2025", Some((2, 5)), Tier::FlashLite),
            ("publishers/google/models/gemini-3-flash-preview", Some((3, 0)), Tier::Flash),
            ("gemini-3.1-pro-preview", Some((3, 1)), Tier::Pro),
            ("gemini-4-argon", Some((4, 0)), Tier::Other),
            ("gemini-flash-latest", None, Tier::Flash),
            ("something-else", None, Tier::Other),
        ] {
            assert_eq!(Family::of(model), Family { version, tier }, "{model}");
        }
    }
}
