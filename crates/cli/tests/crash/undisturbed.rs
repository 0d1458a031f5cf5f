//! One session of each chain that nobody disturbs: what all others are compared with.

use std::collections::HashMap;

use tokio::sync::OnceCell;

use crate::account::Account;
use crate::audit::Audit;
use crate::docket::Docket;
use crate::script::{self, CHAINS};
use crate::world::World;

static ACCOUNTS: OnceCell<HashMap<&'static str, Account>> = OnceCell::const_new();

/// The accounts by chain, with a question at the end; made once for all tests.
pub(crate) async fn accounts() -> &'static HashMap<&'static str, Account> {
    ACCOUNTS.get_or_init(investigate).await
}

async fn investigate() -> HashMap<&'static str, Account> {
    let world = World::without_takeover(script::answer).await;
    let mut docket = Docket::default();
    let store = world.store().await;
    for chain in CHAINS {
        docket.enter_one(&world, &store, chain, true).await;
    }
    store.close().await;
    let mut replicas = [world.start()];
    docket.until_done(&world, &mut replicas).await;
    for replica in replicas {
        replica.stop().await;
    }
    let store = world.store().await;
    let mut accounts = HashMap::new();
    for entry in &docket.entries {
        let account = Account::of(&store, entry).await;
        assert!(account.is_completed(), "{account:#?}");
        accounts.insert(entry.chain, account);
    }
    let audit = Audit::of(&world, &store, &docket).await;
    store.close().await;
    assert_eq!(audit.repeats, 0, "nobody disturbed it, and yet something was asked twice");
    accounts
}
