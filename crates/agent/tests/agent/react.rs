//! How replies in the ReAct format are parsed.

mod cases;
mod parameters;
mod properties;
mod replies;
mod weak;
