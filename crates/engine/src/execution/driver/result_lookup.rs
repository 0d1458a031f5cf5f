//! Finds the recorded tool result that an id of a model refers to.
//!
//! An agent refers to its own results as `r1`, `r2` and so on, and to those of earlier agents of the session
//! as `s1.a2.r3`.

use tarsy_agent::ResultId;
use tarsy_domain::{ExecutionId, ExecutionKind, InteractionId};

use super::DriverContext;
use super::digesting::result_id;
use crate::digest::read_result::unknown_result;
use crate::stop::halt::Halt;

impl DriverContext<'_> {
    /// Returns the call whose result has an id. The inner error is for the model.
    pub(super) async fn find_result(&self, id: &str) -> Result<Result<InteractionId, String>, Halt> {
        let own = self.work.resources.store.tool_call_list(self.execution_id).await?;
        let ids: Vec<String> = (1..).map(result_id).take(own.len()).collect();
        let wanted = id.trim_matches(|character: char| !character.is_ascii_alphanumeric());
        let position = ids.iter().position(|known| known.eq_ignore_ascii_case(wanted));
        if let Some(found) = position.and_then(|position| own.get(position)) {
            return Ok(Ok(*found));
        }
        let earlier = match id.parse() {
            Ok(id) => self.find_result_of_another(id).await?,
            Err(_) => None,
        };
        let known: Vec<&str> = ids.iter().map(String::as_str).collect();
        Ok(earlier.ok_or_else(|| unknown_result(id, &known)))
    }

    /// Returns the call of another agent of this session. Agents of a stage that still runs cannot be read:
    /// what they have at the moment depends on timing.
    async fn find_result_of_another(&self, id: ResultId) -> Result<Option<InteractionId>, Halt> {
        let Some(execution_id) = self.find_execution(id).await? else { return Ok(None) };
        let calls = self.work.resources.store.tool_call_list(execution_id).await?;
        let position = usize::try_from(id.number).ok().and_then(|number| number.checked_sub(1));
        Ok(position.and_then(|position| calls.get(position)).copied())
    }

    async fn find_execution(&self, id: ResultId) -> Result<Option<ExecutionId>, Halt> {
        let (store, session_id) = (&self.work.resources.store, self.work.session.session_id);
        let stages = store.stage_list(session_id).await?;
        let Some(stage) = stages.iter().find(|stage| stage.stage_index.checked_add(1) == Some(id.stage))
        else {
            return Ok(None);
        };
        let executions = store.execution_list(session_id).await?;
        let found = executions.iter().map(|execution| &execution.identity).find(|identity| {
            identity.kind == ExecutionKind::Agent
                && identity.stage_id == Some(stage.stage_id)
                && identity.agent_index.checked_add(1) == Some(id.agent)
        });
        let found = found.map(|identity| identity.execution_id);
        Ok(found.filter(|found| stage.status.is_terminal() || *found == self.execution_id))
    }
}
