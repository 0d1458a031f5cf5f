//! Responses to a server that requires input before it returns a result.
//!
//! From protocol version 2026-07-28 on, a server requests input this way while a tool runs, and the call is
//! repeated with the responses. They are those of [`McpClient`](super::McpClient): no roots, elicitation
//! declined, sampling rejected.

use rmcp::model::{
    CallToolRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequiredResult,
    InputResponses, ListRootsResult,
};
use serde_json::Value;

/// Returns the call to repeat, with the responses, or the reason why it cannot be repeated.
pub(crate) fn respond_to_input(
    mut call: CallToolRequestParams,
    required: InputRequiredResult,
) -> Result<CallToolRequestParams, String> {
    let requests = required.input_requests.unwrap_or_default();
    let responses = requests.into_iter().map(|(key, request)| Ok((key, respond(&request)?)));
    let responses = responses.collect::<Result<InputResponses, String>>()?;
    call.input_responses = Some(responses).filter(|responses| !responses.is_empty());
    call.request_state = required.request_state;
    Ok(call)
}

fn respond(request: &InputRequest) -> Result<Value, String> {
    let response = match request {
        InputRequest::ListRoots(_) => serde_json::to_value(ListRootsResult::default()),
        InputRequest::Elicitation(_) => serde_json::to_value(ElicitResult::new(ElicitationAction::Decline)),
        InputRequest::CreateMessage(_) => {
            return Err(
                "the tool requested sampling from our model, which this client does not offer".to_owned()
            );
        }
        _ => return Err("the tool requested a kind of input that this client does not support".to_owned()),
    };
    response.map_err(|error| error.to_string())
}
