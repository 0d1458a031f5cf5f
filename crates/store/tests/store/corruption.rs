//! Recorded values that cannot be read: every read of them fails with an error that names the column and the
//! row.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tarsy_domain::{ExecutionId, InteractionId, SessionId, Timestamp};
use tarsy_store::{ClaimLimit, QueueLimit, StepPayload, StoreError};
use tarsy_testkit::{TestDatabase, both_engines, execution, model_step, new_session, opening, tool_step};

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

struct RecordedSteps {
    session_id: SessionId,
    execution_id: ExecutionId,
    model_call: InteractionId,
    tool_call: InteractionId,
}

/// Records a model step and a tool step.
async fn record_steps(database: &TestDatabase) -> RecordedSteps {
    let store = &database.store;
    store.session_insert(new_session("a"), QueueLimit::Unlimited, at(1)).await.unwrap();
    let hour = Duration::from_secs(3600);
    let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), hour).await.unwrap().unwrap().lease;
    let execution = execution();
    let execution_id = execution.execution_id;
    store.execution_begin(lease, execution, opening(), at(3)).await.unwrap();
    let (model, tool) = (model_step(execution_id, "I look", at(4)), tool_step(execution_id, "3 pods", at(5)));
    let (StepPayload::Model(call), StepPayload::Tool(run)) = (&model.payload, &tool.payload) else {
        panic!()
    };
    let (model_call, tool_call) = (call.interaction_id, run.interaction_id);
    store.step_record(lease, model, at(4)).await.unwrap();
    store.step_record(lease, tool, at(5)).await.unwrap();
    RecordedSteps { session_id: lease.session_id, execution_id, model_call, tool_call }
}

/// Overwrites a column of all rows of a table, as a bug or a manual change could.
async fn corrupt(database: &TestDatabase, table: &str, column: &str, value: &str) {
    let statement = format!("update {table} set {column} = '{value}'");
    if let Some(path) = database.url.strip_prefix("sqlite:") {
        rusqlite::Connection::open(path).unwrap().execute_batch(&statement).unwrap();
    } else {
        let mut connection = PgConnection::connect(&database.url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
}

fn assert_corrupt<T: std::fmt::Debug>(read: Result<T, StoreError>, expected: &str, id: InteractionId) {
    match read {
        Err(StoreError::Corrupt { column, row, .. }) => {
            assert_eq!((column.as_str(), row), (expected, format!("interaction_id {id}")));
        }
        other => panic!("{expected}: {other:?}"),
    }
}

both_engines! {
    async fn a_truncated_tool_result_is_reported(database) {
        let recorded = record_steps(database).await;
        corrupt(database, "mcp_interactions", "told", r#"{"call_id":"call-1","#).await;
        assert_corrupt(database.store.journal_fetch(recorded.execution_id).await, "told", recorded.tool_call);
        let read = database.store.mcp_interaction_list(recorded.session_id).await;
        assert_corrupt(read, "told", recorded.tool_call);
    }

    async fn an_empty_model_reply_is_reported(database) {
        let recorded = record_steps(database).await;
        corrupt(database, "llm_interactions", "response", "").await;
        let journal = database.store.journal_fetch(recorded.execution_id).await;
        assert_corrupt(journal, "response", recorded.model_call);
        let read = database.store.llm_interaction_fetch(recorded.session_id, recorded.model_call).await;
        assert_corrupt(read, "response", recorded.model_call);
    }

    async fn an_unknown_error_kind_is_reported(database) {
        let recorded = record_steps(database).await;
        corrupt(database, "llm_interactions", "error_kind", "sunspots").await;
        let journal = database.store.journal_fetch(recorded.execution_id).await;
        assert_corrupt(journal, "error_kind", recorded.model_call);
        let trace = database.store.trace_list(recorded.session_id).await;
        assert_corrupt(trace, "error_kind", recorded.model_call);
    }

    async fn an_unknown_call_kind_is_reported(database) {
        let recorded = record_steps(database).await;
        corrupt(database, "llm_interactions", "kind", "daydream").await;
        let journal = database.store.journal_fetch(recorded.execution_id).await;
        assert_corrupt(journal, "kind", recorded.model_call);
        let read = database.store.llm_interaction_list(recorded.session_id).await;
        assert_corrupt(read, "kind", recorded.model_call);
    }
}
