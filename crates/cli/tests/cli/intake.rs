//! Intake of alerts: from a real Alertmanager, and in a burst during which the server is killed.

mod alert_source;
mod process;
mod wait;

mod alertmanager;
mod burst;
