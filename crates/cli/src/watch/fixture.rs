//! A session in an API response, for tests.

use serde_json::{Value, json};

use crate::client::SessionView;

/// Returns a completed session with some fields replaced.
pub(super) fn session(overrides: &Value) -> SessionView {
    let mut session = json!({
        "session_id": "01a1e091-4f01-7082-aa51-081012474901", "alert_type": "ShopDown", "chain_id": "shop",
        "author": null, "status": "completed", "current_step": null, "error_message": null,
        "created_at_us": 1, "started_at_us": 1_000_000, "completed_at_us": 43_200_000,
        "stages_total": 1, "stages_done": 1, "llm_interactions": 1, "mcp_interactions": 13,
        "input_tokens": 52_120, "output_tokens": 2_471,
        "executive_summary": "It is the cache.", "final_analysis": "## Cause\n\nThe cache.\n",
        "stages": [], "executions": [],
    });
    for (field, value) in overrides.as_object().unwrap() {
        session[field] = value.clone();
    }
    serde_json::from_value(session).unwrap()
}
