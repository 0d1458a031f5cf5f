//! Typed, time-ordered identifiers.
//!
//! Each noun has its own id type, so that a stage id cannot be passed where a session id is meant. An id is
//! a UUID version 7: ids made later sort later. Making one takes the random source and clock of `uuid`, so only
//! the edges can (feature `edge`); the pure agent core is given its ids.

macro_rules! id_type {
    ($( $(#[$meta:meta])* $name:ident ),+ $(,)?) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String, format = "uuid"))]
        pub struct $name(uuid::Uuid);

        impl $name {
            /// A new id that sorts after those made before it.
            #[allow(clippy::new_without_default, reason = "a default that differs each time would surprise")]
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
    /// One agent at work in a stage, or in a chat turn.
    ExecutionId,
    /// One message of an execution's conversation with its model.
    MessageId,
    /// One recorded call of a model or a tool.
    InteractionId,
    /// One entry of the timeline that people read.
    TimelineEventId,
    /// The conversation that people have with a finished session.
    ChatId,
    /// One question or answer of a chat.
    ChatMessageId,
}

#[cfg(all(test, feature = "edge"))]
mod tests {
    use super::*;

    #[test]
    fn ids_made_later_sort_later() {
        let ids: Vec<_> = (0..1000).map(|_| SessionId::new()).collect();
        assert!(ids.is_sorted());
    }

    #[test]
    fn an_id_reads_back_from_its_text() {
        let id = StageId::new();
        assert_eq!(id.to_string().parse(), Ok(id));
    }
}
