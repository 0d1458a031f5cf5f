//! The tool box: MCP servers, their tools, and what comes back from them.
//!
//! A [`Pool`] keeps the servers of the process. A [`ToolBox`] is what one execution sees of them: tools under
//! their canonical names, and calls of them. What a server answers is text before it leaves here, and has gone through
//! a [`Screen`]. Nothing here reads the environment, knows a file of configuration or speaks to a model.

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
pub use call::{Cancelled, Progress, ToolOutcome};
pub use page::{Grep, Page, PageRequest, read_page};
pub use pool::{Pool, Surroundings};
pub use reduce::{Reduced, reduce};
pub use screen::Screen;
pub use server::{ServerHealth, ServerState};
pub use settings::{Endpoint, Isolation, Program, ServerSettings, Transport};
pub use stdio::{Guard, run_guard};
pub use tool::ToolInfo;
pub use toolbox::ToolBox;
