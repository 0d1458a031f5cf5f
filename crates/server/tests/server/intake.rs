//! Tests of alert intake.

mod app;

mod alertmanager;
mod alerts;
mod envelope;
