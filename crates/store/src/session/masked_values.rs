//! The masked values of a session: which secrets were replaced by which placeholders, without the secrets.
//!
//! The ledger is written with every change that masks something new (submission, runbook, step, question in
//! the chat), so that the same secret keeps its placeholder after a restart. It contains digests only; its
//! format belongs to the masking crate.

use tarsy_domain::SessionId;

use crate::db::sql::{Sql, sql};

/// Returns the statement that stores the ledger of a session.
///
/// A ledger only grows. If two versions are written concurrently, the longer one contains the other, so a
/// shorter one never replaces a longer one.
pub(crate) fn upsert_masked_values(session_id: SessionId, record: &str) -> Sql {
    sql("
        insert into masked_values (session_id, record)
        values ($1, $2)
        on conflict (session_id) do update
        set record = excluded.record
        where length(excluded.record) > length(masked_values.record)")
    .bind(session_id)
    .bind(record)
}
