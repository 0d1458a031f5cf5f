//! The routes, one file for each noun.

pub(crate) mod document;
pub(crate) mod health;
pub(crate) mod sessions;
