//! Cassettes: recorded model replies in a file that people can read and edit.
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
//! An agent is named `stage/agent` or `agent`; `*` matches every other agent. Its turns are the model calls
//! of one execution, in order; the turns of a chat question can be selected by keywords. [`ReplayModel`]
//! plays a cassette, [`Tape`] records one. The types of the format are in `tarsy_domain`. The recorded
//! session that an exported cassette contains is ignored here.

mod chunk;
mod error;
mod file;
mod lookup;
mod play;
mod record;

pub use error::CassetteError;
pub use file::{load_cassette, parse_cassette};
pub use play::{ReplayModel, ReplayPace};
pub use record::{RecordedModel, Tape};
