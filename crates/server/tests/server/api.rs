//! Tests of the session and system routes.

mod app;
mod recorded_session;

mod actions;
mod conformance;
mod document;
mod history;
mod lists;
mod numbered_pages;
mod reading;
mod requests;
mod system;
