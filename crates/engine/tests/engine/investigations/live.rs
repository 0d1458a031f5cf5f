//! Watching agents at work, from another process.

use std::time::Duration;

use tarsy_domain::{LivePart, Timestamp};
use tarsy_testkit::{Asked, Said, both_engines};
use tokio::time::timeout;

use crate::investigations::lab::{Lab, SOON};

const CHAIN: &str = "
    stages: [{ name: look, agent: a, llm_provider: a }]
";
const HOUR: Duration = Duration::from_secs(3600);

both_engines! {
    async fn a_reply_is_seen_while_it_is_being_written_until_it_is_given_up(database) {
        let halts = |_: &Asked| Said::Halting(HOUR, Box::new(Said::Text("It is the memory.".to_owned())));
        let mut lab = Lab::prepare(database, CHAIN, "", halts).await;
        let elsewhere = database.another().await;
        let listening = elsewhere.clone();
        let listening = tokio::spawn(async move { listening.listen().await });
        lab.begin();
        let session_id = lab.submit("boom").await;
        let mut watch = elsewhere.session_subscribe(session_id);
        let seen = timeout(SOON, async {
            loop {
                watch.changed().await;
                if let Some(delta) = watch.take().0.pop() {
                    return delta;
                }
            }
        });
        let seen = seen.await.unwrap();
        assert_eq!((seen.part, seen.from_start, seen.text.as_str()), (LivePart::Text, true, "It is the memory."));
        lab.store.session_cancel(session_id, None, Timestamp::now()).await.unwrap();
        let ended = timeout(SOON, async {
            loop {
                watch.changed().await;
                if let Some(ended) = watch.take().1.pop() {
                    return ended;
                }
            }
        });
        assert_eq!(ended.await.unwrap(), seen.scope.interaction_id);
        listening.abort();
        lab.stop().await;
    }
}
