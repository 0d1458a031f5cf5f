//! The types of the query parameters of lists of sessions.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as ValueError;
use tarsy_domain::{SessionStatus, Timestamp};
use tarsy_store::{InvalidCursor, SessionCursor, SessionSortKey, SortDirection};
use utoipa::ToSchema;

use crate::extract::rfc3339;

/// The cursor parameter.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct CursorParam(pub(super) SessionCursor);

/// One or more statuses, separated by commas.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct StatusesParam(pub(super) Vec<SessionStatus>);

/// An RFC 3339 time.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct DateParam(pub(super) Timestamp);

/// The order of pages with a cursor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SortOrder {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
}

/// The sort key of numbered pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SortByParam {
    /// Time of creation.
    #[default]
    CreatedAt,
    /// Status, as text.
    Status,
    /// Type of the alert.
    AlertType,
    /// Author of the alert.
    Author,
    /// Time from start to end.
    Duration,
}

/// The sort direction of numbered pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SortOrderParam {
    /// Smallest first.
    Asc,
    /// Largest first.
    #[default]
    Desc,
}

/// The version of TARSy whose responses a client expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compatibility {
    /// The Go version of TARSy.
    Go,
}

impl From<SortByParam> for SessionSortKey {
    fn from(key: SortByParam) -> Self {
        match key {
            SortByParam::CreatedAt => Self::CreatedAt,
            SortByParam::Status => Self::Status,
            SortByParam::AlertType => Self::AlertType,
            SortByParam::Author => Self::Author,
            SortByParam::Duration => Self::Duration,
        }
    }
}

impl From<SortOrderParam> for SortDirection {
    fn from(order: SortOrderParam) -> Self {
        match order {
            SortOrderParam::Asc => Self::Ascending,
            SortOrderParam::Desc => Self::Descending,
        }
    }
}

impl TryFrom<String> for CursorParam {
    type Error = InvalidCursor;

    fn try_from(text: String) -> Result<Self, InvalidCursor> {
        text.parse().map(Self)
    }
}

impl TryFrom<String> for StatusesParam {
    type Error = ValueError;

    fn try_from(text: String) -> Result<Self, ValueError> {
        let read = |name: &str| SessionStatus::deserialize(name.into_deserializer());
        text.split(',').map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<String> for DateParam {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        // In a query, `+` is a space.
        let hint = if text.contains(' ') { "; write `+` as `%2B`" } else { "" };
        rfc3339(&text).map(Self).map_err(|problem| problem + hint)
    }
}
