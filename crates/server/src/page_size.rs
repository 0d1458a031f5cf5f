//! How many entries a page of a list holds.

use serde::Deserialize;

/// A number of entries, from 1 to `MOST`; `DEFAULT` if nobody says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct PageSize<const DEFAULT: u32, const MOST: u32>(u32);

impl<const DEFAULT: u32, const MOST: u32> PageSize<DEFAULT, MOST> {
    /// The number.
    pub(crate) fn entries(self) -> u32 {
        self.0
    }
}

impl<const DEFAULT: u32, const MOST: u32> Default for PageSize<DEFAULT, MOST> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<const DEFAULT: u32, const MOST: u32> TryFrom<String> for PageSize<DEFAULT, MOST> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let size = text.parse().ok().filter(|size| (1..=MOST).contains(size));
        size.map(Self).ok_or_else(|| format!("`{text}` is not a whole number from 1 to {MOST}"))
    }
}
