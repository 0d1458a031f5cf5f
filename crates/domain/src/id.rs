//! Typed, time-ordered identifiers.
//!
//! Each entity has its own id type, so that a stage id cannot be passed as a session id. Ids are UUIDs of
//! version 7, so they sort by creation time. Creating one reads the clock and a random source, which only
//! crates with the feature `edge` may do; the pure agent core receives its ids.

macro_rules! id_type {
    ($( $(#[$meta:meta])* $name:ident ),+ $(,)?) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String, format = "uuid"))]
        pub struct $name(uuid::Uuid);

        impl $name {
            /// Creates an id that sorts after all ids created before it.
            #[allow(clippy::new_without_default, reason = "each default value would be different")]
            #[cfg(feature = "edge")]
            pub fn new() -> Self {
                Self(uuid::Uuid::now_v7())
            }
        }

        impl From<uuid::Uuid> for $name {
            fn from(uuid: uuid::Uuid) -> Self {
                Self(uuid)
            }
        }

        impl From<$name> for uuid::Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )+ };
}

id_type! {
    /// One investigation of one alert.
    SessionId,
    /// One stage of a session's chain.
    StageId,
    /// One run of one agent in a stage, as synthesis, as executive summary or in a chat.
    ExecutionId,
    /// One message of an execution's conversation with its model.
    MessageId,
    /// One recorded model or tool call.
    InteractionId,
    /// One timeline entry.
    TimelineEventId,
    /// The chat about a finished session.
    ChatId,
    /// One message of a chat.
    ChatMessageId,
}

#[cfg(all(test, feature = "edge"))]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_creation_time() {
        let ids: Vec<_> = (0..1000).map(|_| SessionId::new()).collect();
        assert!(ids.is_sorted());
    }

    #[test]
    fn an_id_round_trips_through_its_text() {
        let id = StageId::new();
        assert_eq!(id.to_string().parse(), Ok(id));
    }
}
