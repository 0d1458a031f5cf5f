//! Takes secrets out of texts before anybody stores, shows or sends them.
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
//! A [`Masker`] is made once from what the configuration selects; a [`Ledger`] lives as long as a session and
//! gives the same value the same placeholder. The work is done in passes that are linear in the text:
//!
//! - `scan` looks for a fixed set of needles in one go (prefixes of vendors' tokens, words like `password`, `://`,
//!   `@`, `-----BEGIN`) and has each hit judged by the family it belongs to. There is no backtracking.
//! - `kubernetes` finds Secrets by their structure, in YAML and in JSON.
//! - `span` settles overlaps, `scalar` sees to it that YAML stays YAML, `write` makes the changes.
//! - `embedded` opens strings with escapes in them, and all of this is done to the text inside.
//!
//! Nothing here knows where a text comes from or where it goes.

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
pub use kind::{GROUPS, Kind, PATTERNS};
pub use ledger::{Ledger, LedgerRecord};
pub use masked::{Masked, WITHHELD};
pub use masker::{MAX_BYTES, Masker};
pub use selection::{MaskerError, Selection};
