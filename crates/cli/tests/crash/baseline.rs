//! One undisturbed session of each chain, with which all others are compared.

use std::collections::HashMap;

use tokio::sync::OnceCell;

use crate::audit::Audit;
use crate::environment::TestEnvironment;
use crate::normalized::NormalizedSession;
use crate::script::{self, CHAINS};
use crate::sessions::SessionSet;

static SESSIONS: OnceCell<HashMap<&'static str, NormalizedSession>> = OnceCell::const_new();

/// Returns the sessions by chain, each with a question. They run once for all tests.
pub(crate) async fn sessions() -> &'static HashMap<&'static str, NormalizedSession> {
    SESSIONS.get_or_init(investigate).await
}

async fn investigate() -> HashMap<&'static str, NormalizedSession> {
    let environment = TestEnvironment::without_takeover(script::reply).await;
    let mut sessions = SessionSet::default();
    let store = environment.store().await;
    for chain in CHAINS {
        sessions.submit_chain(&environment, &store, chain, true).await;
    }
    store.close().await;
    let mut replicas = [environment.start()];
    sessions.wait_until_done(&environment, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let store = environment.store().await;
    let mut normalized = HashMap::new();
    for entry in &sessions.entries {
        let session = NormalizedSession::of(&store, entry).await;
        assert!(session.is_completed(), "{session:#?}");
        normalized.insert(entry.chain, session);
    }
    let audit = Audit::of(&environment, &store, &sessions).await;
    store.close().await;
    assert_eq!(audit.repeats, 0, "an undisturbed run repeated requests");
    normalized
}
