//! The text that `tarsy demo` prints at its start.

use std::fmt::{Display, Formatter, Result};
use std::net::SocketAddr;

use tarsy_demo::{DemoConfig, DemoModel, Incident};
use tarsy_domain::SessionId;

use crate::work_directory::WorkDirectory;

/// The text at the start of the demo.
pub(super) struct Banner<'a> {
    pub(super) demo: &'a DemoConfig,
    pub(super) directory: &'a WorkDirectory,
    pub(super) address: SocketAddr,
    /// The session of the first alert.
    pub(super) session_id: SessionId,
}

impl Display for Banner<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let Self { demo, directory, address, session_id } = self;
        let Incident { name, title, .. } = demo.incident;
        let others = Incident::all().iter().map(|other| other.name).filter(|other| other != name);
        write!(
            formatter,
            "listening on http://{address}

  {title} ({name}). TARSy investigates the alert.
  Watch it:   http://{address}/sessions/{session_id}
  Then:       ask questions in the chat, for example what to do next.

  Model:      {}
  Files:      {}
  Incidents:  tarsy demo --incident {}

  Press Ctrl-C to stop.
",
            model(demo.model),
            files(directory),
            others.collect::<Vec<_>>().join(" | ")
        )
    }
}

fn model(model: DemoModel) -> String {
    match model.variable() {
        None => "recorded replies. Tools are called over MCP, but no model is called. To use a model, set
              GOOGLE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or TARSY_OPENAI_COMPATIBLE_URL."
            .to_owned(),
        Some(variable) => {
            format!("a real model, because {variable} is set. Unset it to use recorded replies.")
        }
    }
}

fn files(directory: &WorkDirectory) -> String {
    let path = directory.path().display();
    match directory {
        WorkDirectory::Persistent(_) => path.to_string(),
        WorkDirectory::Temporary(_) => format!("{path}, deleted at the end; use --data-dir to keep them"),
    }
}
