//! `tarsy sessions list`: prints sessions as a table.

use std::io::Write;

use anyhow::Context;
use tarsy_domain::Timestamp;
use url::form_urlencoded::Serializer;

use crate::arguments::ListSessionsArguments;
use crate::client::{ApiClient, SessionListPage, SessionRow};
use crate::terminal::{eprint_line, single_line};
use crate::watch::duration;

const COLUMNS: [&str; 6] = ["SESSION", "STATUS", "AGE", "TOOK", "STAGES", "ALERT TYPE"];
/// The maximum length of a cell.
const TEXT_CHARACTERS: usize = 60;

/// Prints sessions, newest first.
pub(super) async fn list(client: &ApiClient, arguments: &ListSessionsArguments) -> anyhow::Result<()> {
    let path = format!("/api/v1/sessions?{}", query(arguments));
    let response = client.get_text(&path).await?;
    let mut out = std::io::stdout();
    if arguments.json {
        return writeln!(out, "{response}").context("writing the list");
    }
    let page: SessionListPage = serde_json::from_str(&response).context("parsing the list")?;
    if page.sessions.is_empty() {
        return eprint_line("No sessions found.");
    }
    let now = Timestamp::now();
    let rows: Vec<_> = page.sessions.iter().map(|row| cells(row, now)).collect();
    write!(out, "{}", table(&rows)).context("writing the list")?;
    match page.next_cursor {
        Some(_) => eprint_line("More sessions exist. Use --limit (up to 200) or filters."),
        None => Ok(()),
    }
}

fn query(arguments: &ListSessionsArguments) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("limit", &arguments.limit.to_string());
    query.extend_pairs(arguments.status.iter().map(|status| ("status", status.as_str())));
    query.extend_pairs(arguments.alert_type.iter().map(|alert_type| ("alert_type", alert_type)));
    query.extend_pairs(arguments.search.iter().map(|words| ("q", words)));
    query.finish()
}

fn cells(row: &SessionRow, now: Timestamp) -> [String; COLUMNS.len()] {
    let took = row.started_at_us.map(|from| between(from, row.completed_at_us.unwrap_or(now)));
    [
        row.session_id.to_string(),
        row.status.to_string(),
        between(row.created_at_us, now),
        took.unwrap_or_default(),
        format!("{}/{}", row.stages_done, row.stages_total),
        single_line(&row.alert_type, TEXT_CHARACTERS),
    ]
}

fn between(from: Timestamp, to: Timestamp) -> String {
    let ms = to.as_micros().saturating_sub(from.as_micros()) / 1_000;
    duration(u64::try_from(ms).unwrap_or_default())
}

/// Formats a table with aligned columns.
fn table(rows: &[[String; COLUMNS.len()]]) -> String {
    let head = COLUMNS.map(str::to_owned);
    let width = |column: usize| {
        let cells = rows.iter().chain([&head]).map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let line = |row: &[String; COLUMNS.len()]| {
        let cells = row.iter().enumerate().map(|(column, cell)| format!("{cell:<0$}", width(column)));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    [&head].into_iter().chain(rows).map(line).collect()
}

#[cfg(test)]
mod tests {
    use tarsy_domain::SessionStatus;

    use super::*;

    #[test]
    fn builds_the_query_from_the_arguments() {
        let arguments = ListSessionsArguments {
            status: vec![SessionStatus::Failed, SessionStatus::TimedOut],
            alert_type: vec!["Shop & more".to_owned()],
            search: Some("a b".to_owned()),
            limit: 5,
            json: false,
        };
        assert_eq!(
            query(&arguments),
            "limit=5&status=failed&status=timed_out&alert_type=Shop+%26+more&q=a+b"
        );
    }

    #[test]
    fn aligns_columns() {
        let row = |id: &str, status: &str| [id, status, "5 s", "", "0/2", "ShopDown"].map(str::to_owned);
        assert_eq!(
            table(&[row("a", "in_progress"), row("long", "failed")]),
            "SESSION  STATUS       AGE  TOOK  STAGES  ALERT TYPE
a        in_progress  5 s        0/2     ShopDown
long     failed       5 s        0/2     ShopDown
"
        );
    }
}
