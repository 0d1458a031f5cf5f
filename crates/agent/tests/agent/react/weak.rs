//! Replies as weak models write them, with the meaning that is intended.

mod headers;
mod inputs;
mod notations;
mod several;
mod table;
