//! For tests and benchmarks only: real databases, sample records, a scripted model and a scripted tool
//! server.
//!
//! Nothing here mocks a type of the project: the databases are real, the records pass through the public API
//! of the store, and models and tools are called over real HTTP.

mod database;
mod http_client;
mod model_server;
mod record;
mod tool_server;

pub use database::TestDatabase;
pub use http_client::{HttpClient, HttpReply};
pub use model_server::{ModelServer, ScriptedReply, ScriptedRequest};
pub use record::{alert_for, execution, model_step, new_session, opening, tool_step};
pub use tool_server::ToolServer;
