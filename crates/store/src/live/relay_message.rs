//! What processes tell each other, in pieces that fit into one notification of PostgreSQL.

use serde::{Deserialize, Serialize};
use tarsy_domain::{InteractionId, SessionId};
use uuid::Uuid;

use super::text::{LivePart, LivePlace};

/// PostgreSQL takes less than 8,000 bytes.
const LARGEST: usize = 7_900;
/// As JSON a byte of text takes six at most.
pub(super) const LONGEST_PIECE: usize = 1_200;

/// One piece of news.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum News {
    /// Somebody here watches this session.
    Watching {
        session_id: SessionId,
        /// Whether they have nothing of its texts yet, or have lost something.
        anew: bool,
    },
    /// Somebody here watches all sessions.
    WatchingAll,
    /// The record of this session has changed.
    Changed { session_id: SessionId },
    /// Some sessions may have changed.
    AnyChanged,
    /// A text under way goes on like this after `offset` bytes.
    Text { place: LivePlace, part: LivePart, round: u32, offset: usize, text: String },
    /// The texts of a call are not under way any more.
    Ended { session_id: SessionId, interaction_id: InteractionId },
}

#[derive(Serialize, Deserialize)]
struct Parcel {
    /// The process it is from.
    from: Uuid,
    news: Vec<News>,
}

/// Packs news into as few notifications as they fit in, in order.
pub(super) fn pack(from: Uuid, news: Vec<News>) -> Vec<String> {
    let mut parcels = Vec::new();
    let mut parcel = Parcel { from, news: Vec::new() };
    let mut size = usize::MAX;
    for piece in news {
        let more = serde_json::to_string(&piece).map_or(0, |text| text.len() + 1);
        if size.saturating_add(more) > LARGEST {
            seal(&mut parcel, &mut parcels);
            size = r#"{"from":"","news":[]}"#.len() + Uuid::nil().to_string().len();
        }
        size += more;
        parcel.news.push(piece);
    }
    seal(&mut parcel, &mut parcels);
    parcels
}

fn seal(parcel: &mut Parcel, parcels: &mut Vec<String>) {
    if !parcel.news.is_empty() {
        parcels.extend(serde_json::to_string(parcel).ok());
        parcel.news.clear();
    }
}

/// Reads a notification. One's own, and what cannot be read, is no news.
pub(super) fn unpack(own: Uuid, payload: &str) -> Vec<News> {
    match serde_json::from_str::<Parcel>(payload) {
        Ok(parcel) if parcel.from != own => parcel.news,
        Ok(_) => Vec::new(),
        Err(error) => {
            tracing::debug!(%error, "another process told something that cannot be read");
            Vec::new()
        }
    }
}

/// A text in pieces, each with its offset. An empty text is one empty piece.
pub(super) fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let mut offset = 0;
    loop {
        let rest = &text[offset..];
        let piece = &rest[..rest.floor_char_boundary(LONGEST_PIECE)];
        pieces.push((offset, piece));
        offset += piece.len();
        if offset == text.len() {
            return pieces;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place() -> LivePlace {
        LivePlace {
            session_id: Uuid::nil().into(),
            stage_id: None,
            execution_id: Uuid::nil().into(),
            interaction_id: Uuid::nil().into(),
        }
    }

    proptest! {
        #[test]
        fn any_text_arrives_whole_in_parcels_that_fit(text in "(?s).{0,9000}") {
            let news = pieces(&text).into_iter().map(|(offset, piece)| News::Text {
                place: place(), part: LivePart::Text, round: 0, offset, text: piece.to_owned(),
            });
            let parcels = pack(Uuid::from_u128(1), news.collect());
            let mut arrived = String::new();
            for parcel in &parcels {
                prop_assert!(parcel.len() < 8_000);
                for news in unpack(Uuid::from_u128(2), parcel) {
                    let News::Text { offset, text, .. } = news else { panic!("only texts were sent") };
                    prop_assert_eq!(offset, arrived.len());
                    arrived.push_str(&text);
                }
            }
            prop_assert_eq!(arrived, text);
        }
    }

    #[test]
    fn ones_own_parcels_are_no_news() {
        let parcels = pack(Uuid::from_u128(1), vec![News::WatchingAll]);
        assert_eq!(unpack(Uuid::from_u128(1), &parcels[0]), []);
        assert_eq!(unpack(Uuid::from_u128(2), &parcels[0]), [News::WatchingAll]);
    }
}
