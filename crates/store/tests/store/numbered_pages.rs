//! Lists in numbered pages: order, totals and search.

use std::time::Duration;

use tarsy_domain::{SearchQuery, SearchSource, SessionStatus, Timestamp, WorkStatus};
use tarsy_store::{
    ClaimLimit, NewExecution, NewSession, PageRange, QueueLimit, SessionFilter, SessionOrder, SessionOutcome,
    SessionSortKey, SortDirection, Store,
};
use tarsy_testkit::{both_engines, execution, new_session, opening};

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

async fn insert(store: &Store, number: i64, change: impl FnOnce(&mut NewSession)) {
    let mut session = new_session(&format!("s{number}"));
    change(&mut session);
    store.session_insert(session, QueueLimit::Unlimited, at(number)).await.unwrap();
}

/// Claims the oldest pending session and ends it after some time.
async fn run(store: &Store, started: i64, ended: i64) {
    let hour = Duration::from_secs(3600);
    let claimed = store.queue_claim("w", ClaimLimit::Unlimited, at(started), hour).await.unwrap().unwrap();
    let outcome = SessionOutcome {
        status: SessionStatus::Completed,
        final_analysis: Some("The disk is full".into()),
        executive_summary: None,
        error_message: None,
    };
    store.session_finish(claimed.lease, outcome, at(ended)).await.unwrap();
}

async fn page(
    store: &Store,
    filter: &SessionFilter,
    order: (SessionSortKey, SortDirection),
    range: (u64, u32),
) -> (Vec<String>, u64) {
    let (key, direction) = order;
    let (offset, limit) = range;
    let range = PageRange { offset, limit };
    let page = store.session_page(filter, SessionOrder { key, direction }, range).await.unwrap();
    (page.sessions.into_iter().map(|listed| listed.session.alert_id).collect(), page.total)
}

both_engines! {
    async fn numbered_pages_are_sorted_by_every_key_in_both_directions(database) {
        let store = &database.store;
        // Bytes decide, not the rules of a language: `B` comes before `a` and `_`.
        let rows = [(1, "b_x", Some("ann")), (2, "bax", None), (3, "B", Some("Ben")), (4, "bax", Some("ann"))];
        for (number, alert_type, author) in rows {
            insert(store, number, |session| {
                session.alert_type = alert_type.to_owned();
                session.author = author.map(str::to_owned);
            })
            .await;
        }
        run(store, 10, 90).await;
        run(store, 20, 30).await;
        let cases = [
            (SessionSortKey::CreatedAt, ["s1", "s2", "s3", "s4"]),
            (SessionSortKey::Status, ["s1", "s2", "s3", "s4"]),
            (SessionSortKey::AlertType, ["s3", "s1", "s2", "s4"]),
            (SessionSortKey::Author, ["s2", "s3", "s1", "s4"]),
            (SessionSortKey::Duration, ["s3", "s4", "s2", "s1"]),
        ];
        for (key, expected) in cases {
            let all = SessionFilter::default();
            let ascending = page(store, &all, (key, SortDirection::Ascending), (0, 10)).await;
            assert_eq!(ascending, (expected.map(str::to_owned).to_vec(), 4), "{key:?}");
            let (mut descending, _) = page(store, &all, (key, SortDirection::Descending), (0, 10)).await;
            descending.reverse();
            assert_eq!(descending, expected, "{key:?}");
            let (middle, total) = page(store, &all, (key, SortDirection::Ascending), (1, 2)).await;
            assert_eq!((middle.as_slice(), total), (&expected.map(str::to_owned)[1..3], 4), "{key:?}");
            let beyond = page(store, &all, (key, SortDirection::Ascending), (4, 2)).await;
            assert_eq!(beyond, (Vec::new(), 4));
        }
    }

    async fn a_numbered_page_counts_what_passes_filter_and_search(database) {
        let store = &database.store;
        for number in 1..=3 {
            insert(store, number, |session| session.author = Some(format!("a{}", number % 2))).await;
        }
        run(store, 10, 20).await;
        let order = SessionOrder { key: SessionSortKey::Author, direction: SortDirection::Ascending };
        let search = |text: &str, authors: Vec<String>| SessionFilter {
            search: SearchQuery::parse(text),
            authors,
            ..SessionFilter::default()
        };
        let cases: [(SessionFilter, &[&str]); 3] = [
            (search("restarts", vec![]), &["s2", "s1", "s3"]),
            (search("restarts", vec!["a1".into()]), &["s1", "s3"]),
            (search("nowhere", vec![]), &[]),
        ];
        for (filter, expected) in cases {
            let by_author = (SessionSortKey::Author, SortDirection::Ascending);
            let (found, total) = page(store, &filter, by_author, (0, 10)).await;
            assert_eq!((found.iter().map(String::as_str).collect::<Vec<_>>(), total), (expected.to_vec(), expected.len() as u64));
        }
        let page = store
            .session_page(&search("disk", vec![]), order, PageRange { offset: 0, limit: 10 })
            .await
            .unwrap();
        assert_eq!((page.total, page.sessions.len()), (1, 1));
        let hit = page.sessions[0].hit.as_ref().unwrap();
        assert_eq!((hit.source, hit.snippet.is_some()), (SearchSource::Analysis, true));
    }

    async fn an_outline_has_the_stages_and_executions_of_each_session(database) {
        let store = &database.store;
        insert(store, 1, |_| {}).await;
        insert(store, 2, |_| {}).await;
        let hour = Duration::from_secs(3600);
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(3), hour).await.unwrap().unwrap().lease;
        let stage_id = store.stage_list(lease.session_id).await.unwrap()[0].stage_id;
        store.stage_begin(lease, stage_id, None, at(4)).await.unwrap();
        let running = NewExecution { stage_id: Some(stage_id), ..execution() };
        store.execution_begin(lease, running, opening(), at(5)).await.unwrap();
        let other = store.session_fetch_by_alert("s2").await.unwrap().unwrap().session_id;

        let outlines = store.session_outlines(&[lease.session_id, other]).await.unwrap();
        let stages = &outlines[&lease.session_id].stages;
        let statuses: Vec<_> = stages.iter().map(|stage| (stage.name.as_str(), stage.status)).collect();
        assert_eq!(statuses, [("collect", WorkStatus::Active), ("analyse", WorkStatus::Pending)]);
        assert_eq!(stages[0].executions[0].agent_name, "KubernetesAgent");
        assert_eq!(outlines[&lease.session_id].chain_snapshot, "{}");
        assert!(outlines[&other].stages.iter().all(|stage| stage.executions.is_empty()));
        assert!(store.session_outlines(&[]).await.unwrap().is_empty());
    }
}
