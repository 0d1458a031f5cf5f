//! Detects lines that look like problems.

/// Words in lines that report problems, in lower case.
const PROBLEM_WORDS: [&str; 22] = [
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

/// Returns whether a line looks like a problem.
pub(super) fn looks_like_problem(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    PROBLEM_WORDS.iter().any(|word| line.contains(word))
}
