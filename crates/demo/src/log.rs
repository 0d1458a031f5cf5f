//! The log of a container, from a file in which each line begins with its distance from the present.
//!
//! ```text
//! -24m10s level=info msg="started"
//! -24m..-2m/20s level=info path={/cart|/pay} ms={12|9|15}
//! ```
//!
//! The second line stands for many: one every 20 seconds, with one of the words in braces after the other.

use jiff::SignedDuration;

use crate::offset::{Offset, parse_span};

/// No file needs more, and a slip of the pen in one should not take all memory.
const MOST_LINES: usize = 20_000;

/// The log of one container of a pod.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) pod: String,
    pub(crate) run: Run,
    /// Every line with its moment, in order.
    pub(crate) lines: Vec<(Offset, String)>,
}

/// Which run of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// The one that runs now, or ran last.
    Current,
    /// The one before the last restart.
    Previous,
}

impl Log {
    /// Reads a file named after its pod, `POD.log` or `POD.previous.log`.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, String> {
        let name = file.strip_suffix(".log").ok_or_else(|| format!("`{file}` does not end in .log"))?;
        let (pod, run) = match name.strip_suffix(".previous") {
            Some(pod) => (pod, Run::Previous),
            None => (name, Run::Current),
        };
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line): &(u32, &str)| !line.is_empty()) {
            lines.extend(parse_line(line).map_err(|problem| format!("{file}:{number}: {problem}"))?);
        }
        if lines.len() > MOST_LINES {
            return Err(format!("{file} stands for {} lines, which is too many", lines.len()));
        }
        // Those of the same moment stay in the order of the file.
        lines.sort_by_key(|(at, _)| *at);
        Ok(Self { pod: pod.to_owned(), run, lines })
    }
}

fn parse_line(line: &str) -> Result<Vec<(Offset, String)>, String> {
    let (when, text) = line.split_once(' ').ok_or("a line is a moment, a blank and a text")?;
    let Some((from, rest)) = when.split_once("..") else {
        return Ok(vec![(when.parse()?, text.to_owned())]);
    };
    let (to, step) = rest.split_once('/').ok_or("a repeated line is written FROM..TO/STEP")?;
    let (from, to, step) = (from.parse::<Offset>()?, to.parse::<Offset>()?, parse_span(step)?);
    if step < SignedDuration::from_secs(1) {
        return Err("the step is shorter than a second".to_owned());
    }
    let moments = std::iter::successors(Some(from), |at| Some(Offset(at.0.saturating_add(step))));
    let moments = moments.take_while(|at| *at <= to).take(MOST_LINES + 1);
    Ok(moments.enumerate().map(|(index, at)| (spread(at, index), choose(text, index))).collect())
}

/// No program writes on the full second every time.
fn spread(at: Offset, index: usize) -> Offset {
    let milliseconds = i64::try_from(index * 37 % 800).unwrap_or_default();
    Offset(at.0 + SignedDuration::from_millis(milliseconds))
}

/// The text with the word of this turn in place of `{one|other}`.
fn choose(text: &str, index: usize) -> String {
    let mut chosen = String::new();
    let mut rest = text;
    while let Some((before, inside, after)) = braces(rest) {
        let words: Vec<&str> = inside.split('|').collect();
        chosen.push_str(before);
        chosen.push_str(words[index % words.len()]);
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
    fn one_line_may_stand_for_many() {
        let log = Log::parse("cart-1.log", "-1m20s last\n-2m..-1m/30s ms={1|2} ok\n").unwrap();
        let lines: Vec<_> = log.lines.iter().map(|(at, text)| (at.0.as_millis(), text.as_str())).collect();
        let expected = [(-120_000, "ms=1 ok"), (-89_963, "ms=2 ok"), (-80_000, "last"), (-59_926, "ms=1 ok")];
        assert_eq!(lines, expected);
        assert_eq!((log.pod.as_str(), log.run), ("cart-1", Run::Current));
    }

    #[test]
    fn the_log_before_a_restart_has_its_own_file() {
        assert_eq!(Log::parse("cart-1.previous.log", "").unwrap().run, Run::Previous);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let wrong = Log::parse("cart-1.log", "-1m fine\nsoon wrong").unwrap_err();
        assert!(wrong.starts_with("cart-1.log:2: `soon` has no sign"), "{wrong}");
        assert!(Log::parse("cart-1.log", "-1m..-0s/0s x").is_err());
    }
}
