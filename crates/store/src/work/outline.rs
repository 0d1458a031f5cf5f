//! The chains of several sessions without their texts, for lists.

use std::collections::BTreeMap;

use tarsy_domain::{ExecutionKind, SessionId, StageId, WorkStatus};

use crate::db::connection::DbConnection;
use crate::db::sql::sql;
use crate::{Store, StoreError};

/// The chain of a session with the status of its stages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionOutline {
    /// The resolved chain at submission, as JSON text.
    pub chain_snapshot: String,
    /// The stages, in order.
    pub stages: Vec<StageOutline>,
}

/// A stage without its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageOutline {
    /// Its id.
    pub stage_id: StageId,
    /// Its name in the chain.
    pub name: String,
    /// Its status.
    pub status: WorkStatus,
    /// The executions that have started, in the order of their agents.
    pub executions: Vec<ExecutionOutline>,
}

/// An execution without its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionOutline {
    /// The name of the agent.
    pub agent_name: String,
    /// Its purpose.
    pub kind: ExecutionKind,
    /// Its status.
    pub status: WorkStatus,
}

impl Store {
    /// Returns the outlines of sessions. A session that does not exist has none.
    pub async fn session_outlines(
        &self,
        session_ids: &[SessionId],
    ) -> Result<BTreeMap<SessionId, SessionOutline>, StoreError> {
        if session_ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut connection = self.read().await?;
        let mut outlines = snapshots(&mut connection, session_ids).await?;
        let mut executions = executions(&mut connection, session_ids).await?;
        let mut statement = sql("select session_id, stage_id, name, status from stages where session_id in ");
        statement.push_list("{}", session_ids.iter().copied());
        statement.text.to_mut().push_str(" order by session_id, stage_index");
        for row in statement.fetch_all(&mut connection).await? {
            let stage_id: StageId = row.id("stage_id")?;
            let stage = StageOutline {
                stage_id,
                name: row.get("name")?,
                status: row.parsed("status")?,
                executions: executions.remove(&stage_id).unwrap_or_default(),
            };
            outlines.entry(row.id("session_id")?).or_default().stages.push(stage);
        }
        Ok(outlines)
    }
}

async fn snapshots(
    connection: &mut DbConnection,
    session_ids: &[SessionId],
) -> Result<BTreeMap<SessionId, SessionOutline>, StoreError> {
    let mut statement = sql("select session_id, chain_snapshot from session_inputs where session_id in ");
    statement.push_list("{}", session_ids.iter().copied());
    let rows = statement.fetch_all(connection).await?;
    rows.iter()
        .map(|row| {
            let outline =
                SessionOutline { chain_snapshot: row.get("chain_snapshot")?, ..SessionOutline::default() };
            Ok((row.id("session_id")?, outline))
        })
        .collect()
}

async fn executions(
    connection: &mut DbConnection,
    session_ids: &[SessionId],
) -> Result<BTreeMap<StageId, Vec<ExecutionOutline>>, StoreError> {
    let mut statement = sql("
        select stage_id, agent_name, kind, status
        from agent_executions
        where stage_id is not null
          and session_id in ");
    statement.push_list("{}", session_ids.iter().copied());
    statement.text.to_mut().push_str(" order by stage_id, agent_index, execution_id");
    let mut executions: BTreeMap<StageId, Vec<ExecutionOutline>> = BTreeMap::new();
    for row in statement.fetch_all(connection).await? {
        let execution = ExecutionOutline {
            agent_name: row.get("agent_name")?,
            kind: row.parsed("kind")?,
            status: row.parsed("status")?,
        };
        executions.entry(row.id("stage_id")?).or_default().push(execution);
    }
    Ok(executions)
}
