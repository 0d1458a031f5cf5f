//! The toolbox: connections to MCP servers, their tools, and the results of tool calls.
//!
//! A [`Pool`] owns the servers of the process. A [`ToolBox`] is one execution's view of them: tools under
//! their canonical names, and calls to them. Every result leaves this crate as text that has passed a
//! [`Screen`]. Nothing here reads the environment or configuration files, or calls a model.

mod screen;
mod settings;
mod tool;

mod pool;
mod server;
mod toolbox;

mod arguments;
mod call;
mod content;

mod client;
mod connection;
mod error;
mod http;
mod stdio;

mod page;
mod reduce;
mod rows;

pub use arguments::{check_arguments, read_arguments};
pub use call::{CallProgress, Cancelled, ToolOutcome};
pub use page::{Grep, Page, PageRequest, read_page};
pub use pool::{Pool, ServerContext};
pub use reduce::{Reduced, reduce};
pub use screen::Screen;
pub use server::{ServerHealth, ServerState, ServerTool};
pub use settings::{HttpEndpoint, Isolation, Program, ServerSettings, Transport};
pub use stdio::{Guard, run_guard};
pub use tool::ToolInfo;
pub use toolbox::ToolBox;
