//! Which lines look like trouble.

/// What lines of trouble say, in small letters.
const WORDS: [&str; 22] = [
    "error",
    "fail",
    "fatal",
    "panic",
    "exception",
    "traceback",
    "warn",
    "critical",
    "denied",
    "refused",
    "timeout",
    "timed out",
    "unavailable",
    "oomkilled",
    "out of memory",
    "crash",
    "backoff",
    "evicted",
    "unhealthy",
    "killed",
    "not found",
    "unable to",
];

/// Whether a line looks like trouble.
pub(super) fn looks_like_trouble(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    WORDS.iter().any(|word| line.contains(word))
}
