//! Lists: filters, pages and full-text search.

use std::time::Duration;

use tarsy_domain::{SearchQuery, SearchSource, SessionStatus, Timestamp};
use tarsy_store::{
    ClaimLimit, NewSession, NewTimelineEvent, QueueLimit, SessionFilter, SessionOutcome, SessionSort, Store,
};
use tarsy_testkit::{both_engines, execution, new_session, opening, tool_step};

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

/// Inserts a session whose creation time is its number.
async fn insert(store: &Store, number: i64, change: impl FnOnce(&mut NewSession)) {
    let mut session = new_session(&format!("s{number}"));
    change(&mut session);
    store.session_insert(session, QueueLimit::Unlimited, at(number)).await.unwrap();
}

/// Returns the alert ids of a whole list, read page by page.
async fn listed(store: &Store, filter: &SessionFilter, page_size: u32) -> Vec<String> {
    let mut alert_ids = Vec::new();
    let mut cursor = None;
    loop {
        let page = store.session_list(filter, cursor, page_size).await.unwrap();
        assert!(page.sessions.len() <= page_size as usize);
        alert_ids.extend(page.sessions.into_iter().map(|listed| listed.session.alert_id));
        cursor = page.next;
        if cursor.is_none() {
            return alert_ids;
        }
    }
}

fn searching(text: &str) -> SessionFilter {
    SessionFilter { search: SearchQuery::parse(text), ..SessionFilter::default() }
}

both_engines! {
    async fn pages_cover_the_list_once_in_order(database) {
        let store = &database.store;
        for number in 0..10 {
            // Pairs have the same creation time, so the cursor must also compare their numbers.
            let mut session = new_session(&format!("s{number}"));
            session.author = Some("a".into());
            store.session_insert(session, QueueLimit::Unlimited, at(number / 2)).await.unwrap();
        }
        let whole = listed(store, &SessionFilter::default(), 100).await;
        assert_eq!(whole.len(), 10);
        for page_size in [1, 3, 9, 10] {
            assert_eq!(listed(store, &SessionFilter::default(), page_size).await, whole);
        }
        let oldest_first = SessionFilter { sort: SessionSort::Oldest, ..SessionFilter::default() };
        let mut reversed = listed(store, &oldest_first, 4).await;
        reversed.reverse();
        assert_eq!(reversed, whole);
    }

    async fn a_new_session_does_not_shift_the_next_page(database) {
        let store = &database.store;
        for number in 0..4 {
            insert(store, number, |_| {}).await;
        }
        let first = store.session_list(&SessionFilter::default(), None, 2).await.unwrap();
        insert(store, 9, |_| {}).await;
        let second = store.session_list(&SessionFilter::default(), first.next, 2).await.unwrap();

        let ids: Vec<_> = second.sessions.iter().map(|listed| listed.session.alert_id.as_str()).collect();
        assert_eq!(ids, ["s1", "s0"]);
        assert_eq!(second.next, None);
    }

    async fn every_filter_narrows_the_list(database) {
        let store = &database.store;
        insert(store, 1, |session| session.alert_type = "disk".into()).await;
        insert(store, 2, |session| session.chain_id = "deep".into()).await;
        insert(store, 3, |session| session.author = Some("ann".into())).await;
        insert(store, 4, |session| session.author = Some("ben".into())).await;
        let cancelled = store.session_fetch_by_alert("s4").await.unwrap().unwrap().session_id;
        store.session_cancel(cancelled, None, at(5)).await.unwrap();
        let all = SessionFilter::default;

        let cases = [
            (SessionFilter { alert_types: vec!["disk".into()], ..all() }, vec!["s1"]),
            (SessionFilter { chain_ids: vec!["deep".into()], ..all() }, vec!["s2"]),
            (SessionFilter { authors: vec!["ann".into(), "ben".into()], ..all() }, vec!["s4", "s3"]),
            (SessionFilter { statuses: vec![SessionStatus::Cancelled], ..all() }, vec!["s4"]),
            (SessionFilter { created_from: Some(at(2)), created_before: Some(at(4)), ..all() }, vec!["s3", "s2"]),
            (SessionFilter { authors: vec!["ann".into()], created_from: Some(at(4)), ..all() }, vec![]),
            (SessionFilter { search: SearchQuery::parse("s2"), ..all() }, vec!["s2"]),
        ];
        for (filter, expected) in cases {
            assert_eq!(listed(store, &filter, 10).await, expected, "{filter:?}");
        }
    }

    async fn search_finds_words_in_alert_analysis_and_timeline(database) {
        let store = &database.store;
        insert(store, 1, |session| session.input.alert_data = "CrashLoop in api.shop.svc, exit 137".into()).await;
        let hour = Duration::from_secs(3600);
        let lease = store.queue_claim("w", ClaimLimit::Unlimited, at(2), hour).await.unwrap().unwrap().lease;
        let execution = execution();
        let execution_id = execution.execution_id;
        store.execution_begin(lease, execution, opening(), at(3)).await.unwrap();
        store.step_record(lease, tool_step(execution_id, "Größe: node-7 NotReady", at(4)), at(4)).await.unwrap();
        let outcome = SessionOutcome {
            status: SessionStatus::Completed,
            final_analysis: Some("The OOM killer ended it".into()),
            executive_summary: None,
            error_message: None,
        };
        store.session_finish(lease, outcome, at(5)).await.unwrap();

        for found in ["crashloop", "shop", "137 CRASH", "größe", "GRÖSSE größe", "node 7", "notr", "oom killer"] {
            let matches = listed(store, &searching(found), 10).await;
            let expected: &[&str] = if found == "GRÖSSE größe" { &[] } else { &["s1"] };
            assert_eq!(matches, expected, "{found}");
        }
        for missed in ["loop", "crashloop oom", "node-8"] {
            assert_eq!(listed(store, &searching(missed), 10).await, [""; 0], "{missed}");
        }
    }

    async fn a_search_returns_where_it_matched(database) {
        let store = &database.store;
        insert(store, 1, |session| session.input.alert_data = "pod api-7 was OOMKilled twice".into()).await;

        let page = store.session_list(&searching("oomkilled"), None, 10).await.unwrap();

        let hit = page.sessions[0].hit.clone().unwrap();
        let snippet = hit.snippet.unwrap();
        assert_eq!((hit.source, snippet.text.as_str()), (SearchSource::Alert, "pod api-7 was OOMKilled twice"));
        assert_eq!(snippet.matches, [(14, 23)]);
    }

    async fn search_text_is_never_interpreted_as_query_syntax(database) {
        let store = &database.store;
        insert(store, 1, |session| session.input.alert_data = "plain words and not more".into()).await;
        for hostile in ["a' | 'b", "\"words", "words*", "NOT and OR", "words:*", "%words_\\", "near(words)"] {
            let filter = searching(hostile);
            assert!(filter.search.is_some(), "{hostile}");
            store.session_list(&filter, None, 10).await.unwrap_or_else(|error| panic!("{hostile}: {error}"));
        }
        assert_eq!(listed(store, &searching("AND not"), 10).await, ["s1"]);
    }

    async fn a_search_with_thousands_of_matches_is_complete_and_in_order(database) {
        let store = &database.store;
        for number in 0..4 {
            insert(store, number, |_| {}).await;
        }
        let hour = Duration::from_secs(3600);
        while let Some(claimed) = store.queue_claim("w", ClaimLimit::Unlimited, at(10), hour).await.unwrap() {
            let execution = execution();
            let mut step = tool_step(execution.execution_id, "x", at(11));
            let entry = step.timeline.remove(0);
            let entries = (0..1500).map(|_| NewTimelineEvent { content: "needle".into(), ..entry.clone() });
            step.timeline = entries.collect();
            store.execution_begin(claimed.lease, execution, opening(), at(11)).await.unwrap();
            store.step_record(claimed.lease, step, at(11)).await.unwrap();
        }
        for page_size in [1, 3, 10] {
            assert_eq!(listed(store, &searching("needle"), page_size).await, ["s3", "s2", "s1", "s0"]);
        }
        let oldest_first = SessionFilter { sort: SessionSort::Oldest, ..searching("needle") };
        assert_eq!(listed(store, &oldest_first, 2).await, ["s0", "s1", "s2", "s3"]);
    }

    async fn a_search_skips_sessions_that_the_filter_excludes(database) {
        let store = &database.store;
        for number in 0..300 {
            insert(store, number, |session| session.author = (number < 3).then(|| "rare".into())).await;
        }
        let filter = SessionFilter { authors: vec!["rare".into()], ..searching("alert") };
        assert_eq!(listed(store, &filter, 2).await, ["s2", "s1", "s0"]);
    }
}
