//! API tokens: creation, lookup by digest, use and revocation.

use tarsy_domain::{AccessRole, Timestamp};
use tarsy_store::{ApiToken, NewApiToken};
use tarsy_testkit::both_engines;

fn second(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000)
}

fn new_token(name: &str, digest: &str, role: AccessRole) -> NewApiToken {
    NewApiToken { name: name.to_owned(), digest: digest.to_owned(), role }
}

both_engines! {
    async fn a_token_is_found_by_its_digest_alone(database) {
        let store = &database.store;
        assert!(store.token_insert(new_token("ci", "d1", AccessRole::Operator), second(1)).await.unwrap());
        let expected = ApiToken {
            name: "ci".to_owned(),
            role: AccessRole::Operator,
            created_at: second(1),
            last_used_at: None,
            revoked_at: None,
        };
        assert_eq!(store.token_find_by_digest("d1").await.unwrap(), Some(expected));
        assert_eq!(store.token_find_by_digest("ci").await.unwrap(), None);
        assert_eq!(store.token_find_by_digest("").await.unwrap(), None);
    }

    async fn a_name_is_taken_until_its_token_is_revoked(database) {
        let store = &database.store;
        assert!(store.token_insert(new_token("ci", "d1", AccessRole::Viewer), second(1)).await.unwrap());
        assert!(!store.token_insert(new_token("ci", "d2", AccessRole::Admin), second(2)).await.unwrap());
        assert_eq!(store.token_find_by_digest("d2").await.unwrap(), None);
        assert!(store.token_revoke("ci", second(3)).await.unwrap());
        assert!(store.token_insert(new_token("ci", "d2", AccessRole::Admin), second(4)).await.unwrap());
        assert_eq!(store.token_find_by_digest("d1").await.unwrap(), None);
        assert_eq!(store.token_find_by_digest("d2").await.unwrap().unwrap().role, AccessRole::Admin);
    }

    async fn a_revoked_token_is_not_found_and_stays_in_the_list(database) {
        let store = &database.store;
        for (name, digest) in [("b", "d1"), ("a", "d2"), ("C", "d3")] {
            assert!(store.token_insert(new_token(name, digest, AccessRole::Viewer), second(1)).await.unwrap());
        }
        assert!(store.token_revoke("b", second(2)).await.unwrap());
        assert!(!store.token_revoke("b", second(3)).await.unwrap());
        assert!(!store.token_revoke("unknown", second(3)).await.unwrap());
        assert_eq!(store.token_find_by_digest("d1").await.unwrap(), None);
        let listed = store.token_list().await.unwrap();
        let tokens: Vec<_> = listed.iter().map(|token| (token.name.as_str(), token.revoked_at)).collect();
        assert_eq!(tokens, [("C", None), ("a", None), ("b", Some(second(2)))]);
    }

    async fn a_use_is_recorded_at_most_once_a_minute(database) {
        let store = &database.store;
        assert!(store.token_insert(new_token("ci", "d1", AccessRole::Viewer), second(0)).await.unwrap());
        for (used, noted) in [(100, 100), (159, 100), (160, 160), (120, 160), (300, 300)] {
            let token = store.token_find_by_digest("d1").await.unwrap().unwrap();
            store.token_note_use(&token, second(used)).await.unwrap();
            let token = store.token_find_by_digest("d1").await.unwrap().unwrap();
            assert_eq!(token.last_used_at, Some(second(noted)), "used at {used}");
        }
    }
}
