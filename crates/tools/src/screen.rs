//! The filter that every text from a server passes before it is used.
//!
//! Results, error messages and progress pass the screen of the calling execution. What belongs to no
//! execution (log lines, standard error, the reason of a broken connection) passes the screen of the pool. A
//! screen is a function of the server's name and the text; what it masks is decided by its creator.

use std::fmt;
use std::sync::Arc;

type Show = dyn Fn(&str, String) -> String + Send + Sync;

/// A function that masks and bounds texts from servers. Cheap to clone.
#[derive(Clone)]
pub struct Screen(Arc<Show>);

impl Screen {
    /// Creates a screen from a function of the server's name and a text.
    pub fn new(show: impl Fn(&str, String) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(show))
    }

    /// Creates a screen that changes nothing.
    pub fn transparent() -> Self {
        Self::new(|_, text| text)
    }

    /// Filters a text that `server` sent.
    pub(crate) fn show(&self, server: &str, text: impl Into<String>) -> String {
        (self.0)(server, text.into())
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Screen")
    }
}
