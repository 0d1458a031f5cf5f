//! Masks secrets in texts before they are stored, shown or sent.
//!
//! ```
//! use tarsy_masking::{Ledger, Masker, Selection};
//!
//! let masker = Masker::new(&Selection::groups(["all"])).unwrap();
//! let mut ledger = Ledger::new(b"the session's id");
//! let masked = masker.mask("login with DB_PASSWORD=hunter2-9f, then PGPASSWORD=hunter2-9f", &mut ledger);
//! assert_eq!(
//!     masked.text,
//!     "login with DB_PASSWORD=[MASKED:password#1], then PGPASSWORD=[MASKED:password#1]"
//! );
//! ```
//!
//! A [`Masker`] is created once for the selection in the configuration. A [`Ledger`] belongs to a session and
//! maps equal values to equal placeholders. All passes are linear in the text:
//!
//! - `scan` searches for a fixed set of needles in one pass (prefixes of vendors' tokens, words like
//!   `password`, `://`, `@`, `-----BEGIN`) and passes each hit to the detector it belongs to. There is no
//!   backtracking.
//! - `kubernetes` finds Secrets by their structure, in YAML and in JSON.
//! - `span` resolves overlaps, `scalar` keeps YAML valid, `write` creates the edits.
//! - `embedded` unescapes strings, and everything above is applied to the text inside.
//!
//! Why this is not a third-party scanner: `docs/adr/0014-masking-by-hand.md`.

mod kind;
mod selection;

mod ledger;
mod masked;
mod masker;

mod custom;
mod embedded;
mod scan;

mod email;
mod pair;
mod pem;
mod url;
mod vendor;
mod web_token;

mod kubernetes;

mod edit;
mod scalar;
mod span;
mod write;

mod bytes;
mod quote;

pub use custom::CustomPattern;
pub use kind::{GROUPS, PATTERNS, SecretKind};
pub use ledger::{Ledger, LedgerRecord};
pub use masked::{Masked, WITHHELD};
pub use masker::{MAX_BYTES, Masker};
pub use selection::{MaskerError, Selection};
