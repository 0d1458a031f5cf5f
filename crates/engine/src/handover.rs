//! The results of earlier stages as one agent gets them: selected by its strategy, and shortened until they
//! fit the context window of its model.
//!
//! ```text
//!  record ─▶ Handover (what the reader gets) ─▶ budget ─▶ fit ─▶ FormattedResults
//! ```
//!
//! Everything here is pure: the text follows from the record and the configuration.

pub(crate) mod budget;
pub(crate) mod fit;
mod shorten;
mod texts;
