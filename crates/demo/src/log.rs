//! The log of a container, read from a file in which each line starts with its relative time.
//!
//! ```text
//! -24m10s level=info msg="started"
//! -24m..-2m/20s level=info path={/cart|/pay} ms={12|9|15}
//! ```
//!
//! The second line expands to many: one every 20 seconds, cycling through the alternatives in braces.

use jiff::SignedDuration;

use crate::offset::{Offset, parse_span};

/// The maximum number of lines; a typo in a file must not exhaust memory.
const MAX_LINES: usize = 20_000;

/// The log of one container of a pod.
#[derive(Debug, Clone)]
pub(crate) struct ContainerLog {
    pub(crate) pod: String,
    pub(crate) run: ContainerRun,
    /// The lines with their times, in order.
    pub(crate) lines: Vec<(Offset, String)>,
}

/// A run of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContainerRun {
    /// The current run, or the last one.
    Current,
    /// The run before the last restart.
    Previous,
}

impl ContainerLog {
    /// Parses a file that is named after its pod, `POD.log` or `POD.previous.log`.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, String> {
        let name = file.strip_suffix(".log").ok_or_else(|| format!("`{file}` does not end in .log"))?;
        let (pod, run) = match name.strip_suffix(".previous") {
            Some(pod) => (pod, ContainerRun::Previous),
            None => (name, ContainerRun::Current),
        };
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line): &(u32, &str)| !line.is_empty()) {
            lines.extend(parse_line(line).map_err(|problem| format!("{file}:{number}: {problem}"))?);
        }
        if lines.len() > MAX_LINES {
            return Err(format!("{file} expands to {} lines, which is too many", lines.len()));
        }
        // The sort is stable: lines with equal times keep the order of the file.
        lines.sort_by_key(|(at, _)| *at);
        Ok(Self { pod: pod.to_owned(), run, lines })
    }
}

fn parse_line(line: &str) -> Result<Vec<(Offset, String)>, String> {
    let (when, text) = line.split_once(' ').ok_or("expected a line of the form TIME TEXT")?;
    let Some((from, rest)) = when.split_once("..") else {
        return Ok(vec![(when.parse()?, text.to_owned())]);
    };
    let (to, step) = rest.split_once('/').ok_or("expected FROM..TO/STEP for a repeated line")?;
    let (from, to, step) = (from.parse::<Offset>()?, to.parse::<Offset>()?, parse_span(step)?);
    if step < SignedDuration::from_secs(1) {
        return Err("the step is shorter than one second".to_owned());
    }
    let times = std::iter::successors(Some(from), |at| Some(Offset(at.0.saturating_add(step))));
    let times = times.take_while(|at| *at <= to).take(MAX_LINES + 1);
    Ok(times.enumerate().map(|(index, at)| (spread(at, index), choose(text, index))).collect())
}

/// Shifts the time by some milliseconds, because real programs do not log on full seconds.
fn spread(at: Offset, index: usize) -> Offset {
    let milliseconds = i64::try_from(index * 37 % 800).unwrap_or_default();
    Offset(at.0 + SignedDuration::from_millis(milliseconds))
}

/// Replaces each `{one|other}` with the alternative for this index.
fn choose(text: &str, index: usize) -> String {
    let mut chosen = String::new();
    let mut rest = text;
    while let Some((before, inside, after)) = braces(rest) {
        let alternatives: Vec<&str> = inside.split('|').collect();
        chosen.push_str(before);
        chosen.push_str(alternatives[index % alternatives.len()]);
        rest = after;
    }
    chosen + rest
}

fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (inside, after) = rest.split_once('}')?;
    Some((before, inside, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expands_a_repeated_line() {
        let log = ContainerLog::parse("cart-1.log", "-1m20s last\n-2m..-1m/30s ms={1|2} ok\n").unwrap();
        let lines: Vec<_> = log.lines.iter().map(|(at, text)| (at.0.as_millis(), text.as_str())).collect();
        let expected = [(-120_000, "ms=1 ok"), (-89_963, "ms=2 ok"), (-80_000, "last"), (-59_926, "ms=1 ok")];
        assert_eq!(lines, expected);
        assert_eq!((log.pod.as_str(), log.run), ("cart-1", ContainerRun::Current));
    }

    #[test]
    fn reads_the_log_of_the_previous_run_from_its_own_file() {
        assert_eq!(ContainerLog::parse("cart-1.previous.log", "").unwrap().run, ContainerRun::Previous);
    }

    #[test]
    fn an_invalid_line_is_reported_with_its_number() {
        let error = ContainerLog::parse("cart-1.log", "-1m fine\nsoon wrong").unwrap_err();
        assert!(error.starts_with("cart-1.log:2: `soon` has no sign"), "{error}");
        assert!(ContainerLog::parse("cart-1.log", "-1m..-0s/0s x").is_err());
    }
}
