//! The kinds of timeline entries.
//!
//! The store keeps an entry's text and metadata; the agent core and the engine decide which entries are
//! created.

use crate::string_enum::string_enum;

string_enum! {
    /// The kind of a timeline entry.
    pub enum TimelineEventType {
        /// The model's reasoning, native or parsed from ReAct text.
        LlmThinking = "llm_thinking",
        /// Text that accompanies tool calls.
        LlmResponse = "llm_response",
        /// A tool call.
        ToolCall = "tool_call",
        /// The result of a tool call.
        ToolResult = "tool_result",
        /// A model's summary of a large tool result.
        McpToolSummary = "mcp_tool_summary",
        /// Code that the vendor ran for the model, with its output.
        CodeExecution = "code_execution",
        /// Web search results that a reply is based on.
        GoogleSearchResult = "google_search_result",
        /// Pages that the vendor fetched for the model.
        UrlContextResult = "url_context_result",
        /// A provider failed, and the next one was called.
        ProviderFallback = "provider_fallback",
        /// An agent's conclusion.
        FinalAnalysis = "final_analysis",
        /// The executive summary of the session.
        ExecutiveSummary = "executive_summary",
        /// A question asked in the chat.
        UserQuestion = "user_question",
        /// A routing decision of the chain, with its reason.
        RoutingDecision = "routing_decision",
        /// A later notification about the alert from its sender.
        AlertUpdate = "alert_update",
        /// An external failure that did not stop the investigation.
        Warning = "warning",
        /// A step failed.
        Error = "error",
    }
}
