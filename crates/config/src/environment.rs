//! The environment variables that a configuration can refer to, as a value.
//!
//! [`Environment::from_process`] is the only function of the project that reads the environment of the
//! process; tests pass a map. The `Debug` output does not contain values.

use std::collections::BTreeMap;
use std::fmt;

/// A set of environment variables.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Returns the environment of this process. Variables that are not valid Unicode are skipped.
    pub fn from_process() -> Self {
        let unicode = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        unicode.collect()
    }

    /// Returns these variables and the given ones. A variable of this environment wins, even if it is empty.
    #[must_use]
    pub(crate) fn or(&self, others: Vec<(String, String)>) -> Self {
        let mut variables: BTreeMap<String, String> = others.into_iter().collect();
        variables.extend(self.variables.clone());
        Self { variables }
    }

    /// Returns the value of a variable, if it is set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Returns whether a variable is set and not empty.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !value.is_empty())
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self { variables: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.variables.keys()).finish()
    }
}
