//! The source chain of an error as text.

use std::error::Error;

/// Returns the source chain of `error`, joined by `: `, without the message of `error` itself: messages of
/// HTTP clients contain URLs, which may contain keys.
pub fn causes_of(error: &dyn Error) -> String {
    let mut causes = Vec::new();
    let mut cause = error.source();
    while let Some(next) = cause {
        causes.push(next.to_string());
        cause = next.source();
    }
    // I/O errors repeat the message of the error they wrap.
    causes.dedup();
    causes.join(": ")
}
