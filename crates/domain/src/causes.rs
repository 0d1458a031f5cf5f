//! What lies behind an error.

use std::error::Error;

/// Everything that lies behind an error, without its own words: those of an HTTP client name addresses, which may hold
/// keys.
pub fn causes_of(error: &dyn Error) -> String {
    let mut causes = Vec::new();
    let mut cause = error.source();
    while let Some(next) = cause {
        causes.push(next.to_string());
        cause = next.source();
    }
    // Errors of input and output pass the words of what they wrap for their own.
    causes.dedup();
    causes.join(": ")
}
