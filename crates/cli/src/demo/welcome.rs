//! What there is to see in a demo, for the people who started it.

use std::fmt::{Display, Formatter, Result};
use std::net::SocketAddr;

use tarsy_demo::{Cast, Incident, Setting};
use tarsy_domain::SessionId;

use crate::home::Home;

/// What there is to see.
pub(super) struct Welcome<'a> {
    pub(super) setting: &'a Setting,
    pub(super) home: &'a Home,
    pub(super) address: SocketAddr,
    /// The investigation of the first alert.
    pub(super) session_id: SessionId,
}

impl Display for Welcome<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let Self { setting, home, address, session_id } = self;
        let Incident { name, title, .. } = setting.incident;
        let others = Incident::all().iter().map(|other| other.name).filter(|other| other != name);
        write!(
            formatter,
            "listening on http://{address}

  {title}. An alert came in ({name}), and TARSy investigates.
  Watch it:   http://{address}/sessions/{session_id}
  Afterwards: ask in the chat why, what to do, or whether it is still going on.

  Model:      {}
  Files:      {}
  Others:     tarsy demo --incident {}

  Ctrl-C stops it.
",
            model(setting.cast),
            files(home),
            others.collect::<Vec<_>>().join(" | ")
        )
    }
}

fn model(cast: Cast) -> String {
    match cast.variable() {
        None => "a recording. The tools are really called over MCP, but no model thinks. For a real one set
              GOOGLE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or TARSY_OPENAI_COMPATIBLE_URL."
            .to_owned(),
        Some(variable) => format!("a real one, because {variable} is set. Unset it to see the recording."),
    }
}

fn files(home: &Home) -> String {
    let path = home.path().display();
    match home {
        Home::Given(_) => format!("{path}, where they stay"),
        Home::Passing(_) => format!("{path}, which goes away with the demo; --data-dir keeps them"),
    }
}
