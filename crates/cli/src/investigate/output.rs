//! The output of `tarsy investigate`: the report, the recording, and the files for them.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use tarsy_domain::SessionId;

use super::format_of;
use crate::arguments::InvestigateArguments;
use crate::client::{ApiClient, SessionView};
use crate::watch::{SessionReport, WatchFormat};

/// Time limit for reading an unfinished session: a server that does not respond must not hold up the end.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The output at the end.
pub(super) struct OutputFiles {
    format: WatchFormat,
    report: Option<OutputFile>,
    cassette: Option<OutputFile>,
}

/// A file that is opened before the session starts, so that an unwritable path fails early.
struct OutputFile {
    path: PathBuf,
    file: File,
}

impl OutputFiles {
    pub(super) fn create(arguments: &InvestigateArguments) -> anyhow::Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(OutputFile::open).transpose();
        Ok(Self {
            format: format_of(arguments),
            report: open(&arguments.output)?,
            cassette: open(&arguments.record)?,
        })
    }

    /// Writes the files and prints the result.
    pub(super) async fn write(&self, client: &ApiClient, session: &SessionView) -> anyhow::Result<()> {
        self.write_files(client, session).await?;
        let session_id = session.row.session_id;
        match self.format {
            WatchFormat::Text => SessionReport(session).print(),
            WatchFormat::Json => {
                let data = client.get_text(&format!("/api/v1/sessions/{session_id}")).await?;
                writeln!(std::io::stdout(), r#"{{"type":"result","data":{data}}}"#)
                    .context("writing the result")
            }
        }
    }

    /// Writes what is recorded so far of a session that has not ended. The exit status says that it is not complete.
    pub(super) async fn write_unfinished(
        &self,
        client: &ApiClient,
        session_id: SessionId,
    ) -> anyhow::Result<()> {
        if self.report.is_none() && self.cassette.is_none() {
            return Ok(());
        }
        let writing = async { self.write_files(client, &client.session(session_id).await?).await };
        tokio::time::timeout(READ_TIMEOUT, writing).await.context("reading the unfinished session")?
    }

    async fn write_files(&self, client: &ApiClient, session: &SessionView) -> anyhow::Result<()> {
        let session_id = session.row.session_id;
        if let Some(file) = &self.report {
            file.write(&SessionReport(session).to_string())?;
        }
        if let Some(file) = &self.cassette {
            file.write(&client.get_text(&format!("/api/v1/sessions/{session_id}/export")).await?)?;
        }
        Ok(())
    }
}

impl OutputFile {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::create(path).with_context(|| format!("writing {}", path.display()))?;
        Ok(Self { path: path.to_owned(), file })
    }

    fn write(&self, text: &str) -> anyhow::Result<()> {
        (&self.file).write_all(text.as_bytes()).with_context(|| format!("writing {}", self.path.display()))
    }
}
