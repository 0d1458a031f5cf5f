//! The wire formats that the fault server supports.

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
    /// Returns the vendor.
    pub(crate) fn vendor(self) -> Vendor {
        match self {
            Self::Chat => Vendor::OpenAiCompatible,
            Self::Responses => Vendor::OpenAi,
            Self::Anthropic => Vendor::Anthropic,
            Self::Gemini => Vendor::Google,
        }
    }

    /// Returns the base path on the server.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "v1",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Returns a model name in the vendor's style; scenarios append their own name.
    pub(crate) fn model(self) -> &'static str {
        match self {
            Self::Chat => "small",
            Self::Responses => "gpt-5-mini",
            Self::Anthropic => "claude-sonnet-4-5",
            Self::Gemini => "gemini-2.5-flash",
        }
    }
}
