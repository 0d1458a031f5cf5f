//! Errors of reading and writing cassettes.

use std::io;

use thiserror::Error;

/// A cassette that cannot be used.
#[derive(Debug, Error)]
pub enum CassetteError {
    /// The file cannot be read or written.
    #[error("cassette {path}")]
    File {
        /// The file.
        path: String,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// The file is not a valid cassette.
    #[error("cassette {path}: {problem}")]
    Format {
        /// The file.
        path: String,
        /// The problem and its position.
        problem: String,
    },
}
