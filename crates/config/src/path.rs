//! The path of a value in the structure of a file: `agent_chains.x.stages[0].agent`.
//!
//! A path can name a value that the file does not contain. Positions in the text are in `locations`.

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
    /// Returns the path of an entry of a section, such as one agent.
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
        let (_, parent) = self.0.split_last()?;
        Some(Self(parent.to_vec()))
    }

    /// Returns the name of the entry if this is the path of an entry of `section`.
    pub(crate) fn entry_of(&self, section: &str) -> Option<&str> {
        match self.0.as_slice() {
            [PathSegment::Key(found), PathSegment::Key(name)] if found == section => Some(name),
            _ => None,
        }
    }

    /// Returns the keys of the path, without indices.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|segment| match segment {
            PathSegment::Key(key) => Some(key.as_str()),
            PathSegment::Index(_) => None,
        })
    }

    fn with(&self, segment: PathSegment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }
}

impl PathSegment {
    /// Returns the segment without a value that was written into the key by mistake, as in `TOKEN=value`.
    fn shown(&self) -> Self {
        match self {
            Self::Key(key) => Self::Key(sensitive::cut(key)),
            Self::Index(index) => Self::Index(*index),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment.shown() {
                PathSegment::Index(index) => write!(formatter, "[{index}]")?,
                PathSegment::Key(key) if !is_plain(&key) => write!(formatter, "[{key:?}]")?,
                PathSegment::Key(key) if position == 0 => formatter.write_str(&key)?,
                PathSegment::Key(key) => write!(formatter, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// Returns whether a key is printed in a path without quotes.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '-' | '/' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_keys_are_quoted() {
        let path = Path::entry("agent_chains", "x").key("stages").index(0).key("a.b \"c\"");
        assert_eq!(path.to_string(), r#"agent_chains.x.stages[0]["a.b \"c\""]"#);
    }
}
