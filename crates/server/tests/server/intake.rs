//! Alerts come in over HTTP, into a real store.

mod app;

mod alertmanager;
mod alerts;
