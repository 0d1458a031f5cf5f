//! What a server asks for in place of a result, and what we answer.
//!
//! Since 2026 this is how a server asks its client while a tool runs: the call is made again with our answers. They are
//! those of [`Client`](super::Client): no roots, no form is filled in, and our model is not lent.

use rmcp::model::{
    CallToolRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequiredResult,
    InputResponses, ListRootsResult,
};
use serde_json::Value;

/// The call to be made next, or why there is none.
pub(crate) fn answer_input(
    mut call: CallToolRequestParams,
    required: InputRequiredResult,
) -> Result<CallToolRequestParams, String> {
    let requests = required.input_requests.unwrap_or_default();
    let answers = requests.into_iter().map(|(key, request)| Ok((key, answer(&request)?)));
    let answers = answers.collect::<Result<InputResponses, String>>()?;
    call.input_responses = Some(answers).filter(|answers| !answers.is_empty());
    call.request_state = required.request_state;
    Ok(call)
}

fn answer(request: &InputRequest) -> Result<Value, String> {
    let answer = match request {
        InputRequest::ListRoots(_) => serde_json::to_value(ListRootsResult::default()),
        InputRequest::Elicitation(_) => serde_json::to_value(ElicitResult::new(ElicitationAction::Decline)),
        InputRequest::CreateMessage(_) => {
            return Err("the tool asks for a model, and ours is not lent".to_owned());
        }
        _ => return Err("the tool asks for something that is not known here".to_owned()),
    };
    answer.map_err(|error| error.to_string())
}
