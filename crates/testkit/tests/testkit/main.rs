//! Rules about the repository itself: which crate may use what, and how the project writes.

mod architecture;
mod language;
