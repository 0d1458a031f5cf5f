//! The live protocol: what the server stores for, sends to and receives from the clients of its WebSocket and
//! its server-sent events.
//!
//! - [`EventPayload`] is what the store persists: one small struct per [`EventType`].
//! - [`ChannelMessage`] is what a subscriber receives: stored events with their details, and texts while they
//!   are being streamed.
//! - [`ControlMessage`] and [`ClientCommand`] manage the subscriptions of a WebSocket.
//!
//! The store, the server and the command line serialize and deserialize these types; the OpenAPI document and
//! the dashboard's TypeScript are generated from them. Delivery and ordering are the concern of the store and
//! the server.

mod channel;
mod control;
mod event;
mod event_data;
mod message;
mod progress;
mod stream;

pub use channel::{Channel, UnknownChannel};
pub use control::{ClientCommand, CommandAction, ControlMessage};
pub use event::{EventPayload, EventType};
pub use event_data::{
    ChatMessageData, CurrentStepData, ExecutionStatusData, InteractionData, InteractionKind,
    SessionStatusData, StageStatusData, TimelineEntryData,
};
pub use message::{ChannelMessage, CompletedEntryData, LiveMessage};
pub use progress::{ProgressDetails, SessionProgressData, StageProgress};
pub use stream::{GapData, LivePart, StreamChunkData, StreamEndedData};
