//! What can be wrong with a cassette.

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
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is not what a cassette looks like.
    #[error("cassette {path}: {problem}")]
    Format {
        /// The file.
        path: String,
        /// What is wrong and where.
        problem: String,
    },
}
