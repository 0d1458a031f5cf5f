//! Where in a file's structure something stands: `agent_chains.x.stages[0].agent`.
//!
//! A path names a value whether or not it was written. Where it stands in the text is in `places`.

use std::fmt;

use crate::sensitive;

/// Keys and indices from the root of a file to a value.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(Vec<PathSegment>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PathSegment {
    Key(String),
    Index(usize),
}

impl Path {
    /// The path of a value two levels below the root, such as one agent.
    pub(crate) fn entry(section: &str, name: &str) -> Self {
        Self::default().key(section).key(name)
    }

    pub(crate) fn key(&self, key: &str) -> Self {
        self.with(PathSegment::Key(key.to_owned()))
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        self.with(PathSegment::Index(index))
    }

    pub(crate) fn parent(&self) -> Option<Self> {
        let (_, steps) = self.0.split_last()?;
        Some(Self(steps.to_vec()))
    }

    /// The name of an entry of a section, for a path that is exactly that.
    pub(crate) fn entry_of(&self, section: &str) -> Option<&str> {
        match self.0.as_slice() {
            [PathSegment::Key(found), PathSegment::Key(name)] if found == section => Some(name),
            _ => None,
        }
    }

    /// The keys on the way, without indices.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            PathSegment::Key(key) => Some(key.as_str()),
            PathSegment::Index(_) => None,
        })
    }

    fn with(&self, step: PathSegment) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl PathSegment {
    /// Without what somebody wrote into a key that was meant to be its value, as in `TOKEN=value`.
    fn shown(&self) -> Self {
        match self {
            Self::Key(key) => Self::Key(sensitive::cut(key)),
            Self::Index(index) => Self::Index(*index),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step.shown() {
                PathSegment::Index(index) => write!(formatter, "[{index}]")?,
                PathSegment::Key(key) if !is_plain(&key) => write!(formatter, "[{key:?}]")?,
                PathSegment::Key(key) if position == 0 => formatter.write_str(&key)?,
                PathSegment::Key(key) => write!(formatter, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// Whether a key can be read in a path without quotes.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '-' | '/' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_keys_are_quoted() {
        let path = Path::entry("agent_chains", "x").key("stages").index(0).key("a.b \"c\"");
        assert_eq!(path.to_string(), r#"agent_chains.x.stages[0]["a.b \"c\""]"#);
    }
}
