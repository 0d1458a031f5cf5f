//! The order of a list of sessions.

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionSort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
}

impl SessionSort {
    /// How a later row compares, and how rows are ordered.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Newest => ("<", "desc"),
            Self::Oldest => (">", "asc"),
        }
    }
}
