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
    /// Returns the comparison operator for rows of later pages, and the SQL sort direction.
    pub(crate) fn sql(self) -> (&'static str, &'static str) {
        match self {
            Self::Newest => ("<", "desc"),
            Self::Oldest => (">", "asc"),
        }
    }
}
