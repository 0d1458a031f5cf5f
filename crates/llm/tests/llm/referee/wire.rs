//! The wire formats, as the referee serves them.

use tarsy_llm::Vendor;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    Chat,
    Responses,
    Anthropic,
    Gemini,
}

impl Wire {
    /// Who speaks it.
    pub(crate) fn vendor(self) -> Vendor {
        match self {
            Self::Chat => Vendor::OpenAiCompatible,
            Self::Responses => Vendor::OpenAi,
            Self::Anthropic => Vendor::Anthropic,
            Self::Gemini => Vendor::Google,
        }
    }

    /// Where the referee serves it.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "v1",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// A name that the vendor might give to a model; scenarios add their own to it.
    pub(crate) fn model(self) -> &'static str {
        match self {
            Self::Chat => "small",
            Self::Responses => "gpt-5-mini",
            Self::Anthropic => "claude-sonnet-4-5",
            Self::Gemini => "gemini-2.5-flash",
        }
    }
}
