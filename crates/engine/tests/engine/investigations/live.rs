//! Live texts of running agents, seen from another process.

use std::time::Duration;

use tarsy_domain::{LivePart, Timestamp};
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};
use tokio::time::timeout;

use crate::investigations::test_engine::{TIMEOUT, TestEngine};

const CHAIN: &str = "
    stages: [{ name: look, agent: a, llm_provider: a }]
";
const HOUR: Duration = Duration::from_secs(3600);

both_engines! {
    async fn a_reply_is_visible_while_it_is_streamed_until_it_is_given_up(database) {
        let halts = |_: &ScriptedRequest| ScriptedReply::Paused(HOUR, Box::new(ScriptedReply::Text("It is the memory.".to_owned())));
        let mut engine = TestEngine::prepare(database, CHAIN, "", halts).await;
        let other = database.another().await;
        let listening = other.clone();
        let listening = tokio::spawn(async move { listening.listen().await });
        engine.launch();
        let session_id = engine.submit("boom").await;
        let mut watch = other.session_subscribe(session_id);
        let seen = timeout(TIMEOUT, async {
            loop {
                watch.changed().await;
                if let Some(delta) = watch.take().0.pop() {
                    return delta;
                }
            }
        });
        let seen = seen.await.unwrap();
        assert_eq!((seen.part, seen.from_start, seen.text.as_str()), (LivePart::Text, true, "It is the memory."));
        engine.store.session_cancel(session_id, None, Timestamp::now()).await.unwrap();
        let ended = timeout(TIMEOUT, async {
            loop {
                watch.changed().await;
                if let Some(ended) = watch.take().1.pop() {
                    return ended;
                }
            }
        });
        assert_eq!(ended.await.unwrap(), seen.scope.interaction_id);
        listening.abort();
        engine.stop().await;
    }
}
