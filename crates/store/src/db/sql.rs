//! A statement with its arguments, for either engine.
//!
//! ```text
//! sql("select status from sessions where session_id = $1").bind(id).fetch_optional(connection)
//! ```
//! `fetch` runs it on the engine of the connection, so every query of the store is written once. Text that is
//! not a constant is only ever assembled from constants and placeholders.

use std::borrow::Cow;

use tarsy_domain::{
    ChatId, ChatMessageId, ExecutionId, InteractionId, MessageId, SessionId, StageId, TimelineEventId,
    Timestamp,
};
use uuid::Uuid;

/// A statement and the arguments of its placeholders `$1`, `$2`, ….
pub(crate) struct Sql {
    pub(crate) text: Cow<'static, str>,
    pub(crate) arguments: Vec<Argument>,
}

/// The value of a placeholder. An absent value keeps its type, because PostgreSQL needs to know it.
pub(crate) enum Argument {
    Integer(Option<i64>),
    Text(Option<String>),
    Id(Option<Uuid>),
}

/// A type that can be bound to a placeholder.
pub(crate) trait Bind {
    fn argument(self) -> Argument;
    fn absent() -> Argument;
}

/// Starts a statement.
pub(crate) fn sql(text: impl Into<Cow<'static, str>>) -> Sql {
    Sql { text: text.into(), arguments: Vec::new() }
}

impl Sql {
    /// Binds a value to the next placeholder.
    pub(crate) fn bind(mut self, value: impl Bind) -> Self {
        self.arguments.push(value.argument());
        self
    }

    /// Appends text and one value; `{}` in the text becomes the placeholder of the value.
    pub(crate) fn push(&mut self, text: &str, value: impl Bind) {
        self.arguments.push(value.argument());
        let placeholder = format!("${}", self.arguments.len());
        self.text.to_mut().push_str(&text.replace("{}", &placeholder));
    }

    /// Appends text and a list of values; `{}` in the text becomes `($n, …)`.
    pub(crate) fn push_list<B: Bind>(&mut self, text: &str, values: impl IntoIterator<Item = B>) {
        let first = self.arguments.len() + 1;
        self.arguments.extend(values.into_iter().map(Bind::argument));
        let list: Vec<String> = (first..=self.arguments.len()).map(|number| format!("${number}")).collect();
        self.text.to_mut().push_str(&text.replace("{}", &format!("({})", list.join(", "))));
    }
}

macro_rules! bind_as {
    ($variant:ident, $convert:expr, $($type:ty),+) => { $(
        impl Bind for $type {
            fn argument(self) -> Argument {
                Argument::$variant(Some($convert(self)))
            }
            fn absent() -> Argument {
                Argument::$variant(None)
            }
        }
    )+ };
}

bind_as!(Integer, i64::from, i64, u32);
bind_as!(Integer, saturating, u64, usize);
bind_as!(Integer, Timestamp::as_micros, Timestamp);
bind_as!(Text, storable, String, &str, &String);
bind_as!(
    Id,
    Uuid::from,
    SessionId,
    StageId,
    ExecutionId,
    MessageId,
    InteractionId,
    TimelineEventId,
    ChatId,
    ChatMessageId
);

impl<B: Bind> Bind for Option<B> {
    fn argument(self) -> Argument {
        self.map_or_else(B::absent, B::argument)
    }

    fn absent() -> Argument {
        B::absent()
    }
}

/// Converts a count. Counts beyond the range of a column do not occur in practice; if they do, they must not
/// wrap.
fn saturating(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// Replaces NUL characters, which PostgreSQL cannot store in text and tool output can contain, by the
/// replacement character. Both engines do the same. JSON columns are not affected, because JSON escapes NUL.
fn storable(text: impl Into<String>) -> String {
    let text = text.into();
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text }
}
