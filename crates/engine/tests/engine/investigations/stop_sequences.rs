//! The ReAct loop ends a reply where a model begins to invent the result of its own call.

use tarsy_domain::SessionStatus;
use tarsy_testkit::{ScriptedReply, ScriptedRequest, both_engines};

use crate::investigations::test_engine::TestEngine;

const CHAIN: &str = "
    stages:
      - { name: look, agent: reacts, llm_provider: a }
";

/// Calls a tool and invents its result, the rest of the investigation and an answer.
fn invents(request: &ScriptedRequest) -> ScriptedReply {
    let text = match (request.model.as_str(), request.results()) {
        ("a", 0) => {
            "Thought: I look.\nAction: shed.look\nAction Input: {}\nObservation: INVENTED\n\
             Thought: I know enough.\nFinal Answer: INVENTED"
        }
        ("a", _) => "Thought: I know enough.\nFinal Answer: The shed is tidy.",
        _ => "A summary.",
    };
    ScriptedReply::Text(text.to_owned())
}

both_engines! {
    async fn an_invented_result_reaches_neither_the_conversation_nor_the_answer(database) {
        let mut engine = TestEngine::start(database, CHAIN, invents).await;
        let session = engine.investigate("boom").await;
        assert_eq!(session.status, SessionStatus::Completed, "{:?}", session.error_message);
        assert_eq!(session.final_analysis.as_deref(), Some("The shed is tidy."));
        let (agent, others): (Vec<_>, Vec<_>) =
            engine.model.log().into_iter().partition(|request| request.model == "a");
        assert_eq!(agent.len(), 2, "the call, and the answer after its real result");
        for request in &agent {
            assert_eq!(request.stop, ["\nObservation:"]);
            assert!(!request.text().contains("INVENTED"), "{}", request.text());
        }
        assert!(others.iter().all(|request| request.stop.is_empty()), "only iterations of the loop have one");
        engine.stop().await;
    }
}
