//! A cassette: recorded replies in a file that people can read and edit.
//!
//! ```yaml
//! cassette: 1
//! characters_per_second: 600
//! agents:
//!   data-collection/KubernetesAgent:
//!     - chunks:
//!         - thinking: The pods first.
//!         - tool_call: { name: kubernetes.pods_list, arguments: { namespace: shop } }
//!         - usage: { input_tokens: 1200, output_tokens: 40 }
//!     - chunks:
//!         - text: The pod runs out of memory.
//!           after_ms: 300
//!     - error: { kind: overloaded, message: The provider is overloaded. }
//! ```
//!
//! An agent is named `stage/agent` or `agent`; `*` stands for any other. Its turns are the calls of one execution, in
//! order; those of a question in a chat may be chosen by its words. [`ReplayModel`] plays a cassette, [`Tape`] records one. What tools
//! answered is in the session that an exported one carries, which is not looked at here.

mod error;
mod file;
mod play;
mod question;
mod record;

pub use error::CassetteError;
pub use file::{Cassette, CassetteCall, CassetteChunk, CassetteFailure, CassetteTurn};
pub use play::{Pace, ReplayModel};
pub use question::CassetteQuestion;
pub use record::{Recorded, Tape};
