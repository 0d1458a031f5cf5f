//! `tarsy serve` works on whole sessions: the real binary, real MCP servers, and nothing that gets out.

mod collector;
mod desk;

mod exported;
mod recorded;
mod secrets;
mod watched;
