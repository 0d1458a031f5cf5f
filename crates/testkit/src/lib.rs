//! Development only: real databases, ready-made records, and the edges of the world as a test wants them.
//!
//! Nothing here stands in for a type of the project: the databases are real, the records go through the store's
//! public doors, and models and tools are spoken to over real HTTP.

mod database;
mod http_client;
mod model_server;
mod record;
mod tool_server;

pub use database::TestDatabase;
pub use http_client::{HttpAnswer, HttpClient};
pub use model_server::{Asked, ModelServer, Said};
pub use record::{alert_for, answer, execution, new_session, opening, tool_run};
pub use tool_server::ToolServer;
