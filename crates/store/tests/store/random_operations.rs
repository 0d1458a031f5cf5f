//! Random sequences of operations on both engines and on a simple in-memory model: all three must return the
//! same results, and contain the same data afterwards.

#![allow(clippy::wildcard_enum_match_arm, reason = "outcomes that a test does not expect fail it")]

mod action;
mod model;
mod plan;
mod record;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use tarsy_domain::Timestamp;
use tarsy_testkit::TestDatabase;

use action::{Action, perform};
use model::Model;
use plan::{Plan, plans};

/// Operations are ten microseconds apart, so that no two times coincide by accident.
const TICK_US: i64 = 10;

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn both_engines_agree_with_the_model(plans in prop::collection::vec(plans(), 1..70)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(agree(&plans))?;
    }
}

async fn agree(plans: &[Plan]) -> Result<(), TestCaseError> {
    let sqlite = TestDatabase::sqlite().await;
    let postgres = TestDatabase::postgres().await;
    let mut model = Model::default();
    let mut at = Timestamp::from_micros(1_000_000);
    let mut outcome = Ok(());
    for plan in plans.iter().map(Some).chain([None]) {
        at = Timestamp::from_micros(at.as_micros() + TICK_US);
        // The current content of the model turns a plan into an action; the last round reads everything.
        let actions = plan.map_or_else(
            || model.read_everything(),
            |plan| plan.action(&model.known()).into_iter().collect(),
        );
        for action in actions {
            if outcome.is_ok() {
                outcome = agree_on(&mut model, &sqlite, &postgres, &action, at).await;
            }
        }
    }
    sqlite.remove().await;
    postgres.remove().await;
    outcome
}

async fn agree_on(
    model: &mut Model,
    sqlite: &TestDatabase,
    postgres: &TestDatabase,
    action: &Action,
    at: Timestamp,
) -> Result<(), TestCaseError> {
    let expected = model.perform(action, at);
    for (engine, database) in [("sqlite", sqlite), ("postgres", postgres)] {
        let found = perform(&database.store, action, at).await;
        prop_assert_eq!(&found, &expected, "{} on {:?}", engine, action);
    }
    Ok(())
}
