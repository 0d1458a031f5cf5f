//! The page size parameter of lists.

use serde::Deserialize;

/// A number of entries from 1 to `MAX`; `DEFAULT` if the parameter is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct PageSize<const DEFAULT: u32, const MAX: u32>(u32);

impl<const DEFAULT: u32, const MAX: u32> PageSize<DEFAULT, MAX> {
    /// Returns the number of entries.
    pub(crate) fn entries(self) -> u32 {
        self.0
    }
}

impl<const DEFAULT: u32, const MAX: u32> Default for PageSize<DEFAULT, MAX> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<const DEFAULT: u32, const MAX: u32> TryFrom<String> for PageSize<DEFAULT, MAX> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let size = text.parse().ok().filter(|size| (1..=MAX).contains(size));
        size.map(Self).ok_or_else(|| format!("`{text}` is not an integer from 1 to {MAX}"))
    }
}
