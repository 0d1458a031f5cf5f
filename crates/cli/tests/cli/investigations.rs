//! `tarsy serve` investigates complete sessions with real MCP servers.

mod collector;
mod test_process;

mod exported;
mod observability;
mod recorded;
mod secrets;
