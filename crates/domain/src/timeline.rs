//! The kinds of entries in the timeline that people read.
//!
//! An entry's text and metadata live in the store; which happening becomes which kind is the agent core's
//! and the engine's decision.

use crate::string_enum::string_enum;

string_enum! {
    /// What a timeline entry shows.
    pub enum TimelineEventType {
        /// The model's reasoning, native or parsed from ReAct text.
        LlmThinking = "llm_thinking",
        /// Text that came beside tool calls.
        LlmResponse = "llm_response",
        /// A tool was asked for.
        ToolCall = "tool_call",
        /// What the tool answered.
        ToolResult = "tool_result",
        /// A model's summary of a large tool result.
        McpToolSummary = "mcp_tool_summary",
        /// An agent's conclusion.
        FinalAnalysis = "final_analysis",
        /// The paragraph at the top of a session.
        ExecutiveSummary = "executive_summary",
        /// A question that a person asked in the chat.
        UserQuestion = "user_question",
        /// Which way the chain went, and why.
        RoutingDecision = "routing_decision",
        /// What the sender of the alert said about it later.
        AlertUpdate = "alert_update",
        /// Something of the outside world failed and the investigation went on.
        Warning = "warning",
        /// A step failed.
        Error = "error",
    }
}
