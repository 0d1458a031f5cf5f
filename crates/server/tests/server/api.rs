//! The routes over sessions, on a real store, asked as a client would ask them.

mod app;
mod record;

mod acting;
mod conformance;
mod document;
mod lists;
mod reading;
mod requests;
mod system;
