//! The order of a list of sessions.

use crate::EngineKind;
use crate::db::dialect;

/// The order of a list that is read by cursor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionSort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
}

/// The order of a list that is read by page number. Sessions with equal keys are ordered by their creation,
/// in the same direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionOrder {
    /// The key.
    pub key: SessionSortKey,
    /// The direction.
    pub direction: SortDirection,
}

/// The key of a sorted list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionSortKey {
    /// The time of creation.
    #[default]
    CreatedAt,
    /// The status, as text.
    Status,
    /// The type of the alert.
    AlertType,
    /// The sender; sessions without one are the smallest.
    Author,
    /// The time from the start to the end; sessions that have not ended are the smallest.
    Duration,
}

/// The direction of a sorted list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SortDirection {
    /// Smallest first.
    Ascending,
    /// Largest first.
    #[default]
    Descending,
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

impl SessionOrder {
    /// Returns the `order by` clause. It matches an index of the engine.
    pub(crate) fn sql(self, engine: EngineKind) -> String {
        let collation = dialect::binary_collation(engine);
        let direction = match self.direction {
            SortDirection::Ascending => "asc",
            SortDirection::Descending => "desc",
        };
        let nulls = match self.direction {
            SortDirection::Ascending => "nulls first",
            SortDirection::Descending => "nulls last",
        };
        let key = match self.key {
            SessionSortKey::CreatedAt => String::new(),
            SessionSortKey::Status => format!("status collate {collation} {direction}, "),
            SessionSortKey::AlertType => format!("alert_type collate {collation} {direction}, "),
            SessionSortKey::Author => format!("author collate {collation} {direction} {nulls}, "),
            SessionSortKey::Duration => format!("(completed_at_us - started_at_us) {direction} {nulls}, "),
        };
        format!("order by {key}created_at_us {direction}, session_number {direction}")
    }
}
