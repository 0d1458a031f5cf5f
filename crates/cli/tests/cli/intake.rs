//! Alerts come in at the real binary: from a real Alertmanager, and in a storm during which it is killed.

mod alert_source;
mod process;
mod wait;

mod alertmanager;
mod storm;
