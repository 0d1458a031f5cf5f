//! The one place that everything a server says goes through before anybody sees it.
//!
//! Results, error messages and progress go through the screen of the execution that asked. What a connection says by
//! itself, log lines, standard error and why it broke, belongs to no execution and goes through that of the pool. Either
//! is a function that is handed the text with the name of the server. What it hides is not decided here.

use std::fmt;
use std::sync::Arc;

type Show = dyn Fn(&str, String) -> String + Send + Sync;

/// Decides what is shown of a text that a server sent.
#[derive(Clone)]
pub struct Screen(Arc<Show>);

impl Screen {
    /// Shows what `show` makes of a text, given the name of the server.
    pub fn new(show: impl Fn(&str, String) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(show))
    }

    /// Shows everything as it is.
    pub fn transparent() -> Self {
        Self::new(|_, text| text)
    }

    /// What may be seen of a text that `server` sent.
    pub(crate) fn show(&self, server: &str, text: impl Into<String>) -> String {
        (self.0)(server, text.into())
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Screen")
    }
}
