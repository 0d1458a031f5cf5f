//! Long results: summarised by a recorded model, and cut where it cannot.

use std::fs;
use std::sync::Arc;

use tarsy_agent::Prompts;
use tarsy_config::{Config, Environment};
use tarsy_domain::ModelFailureKind;
use tarsy_engine::{Digest, Digester, Models, SetupError, Shortening, ToolText};
use tarsy_llm::Tags;
use tempfile::TempDir;

const TARSY: &str = "
mcp_servers:
  k8s:
    transport: { type: stdio, command: a }
    summarization: { size_threshold_tokens: 400, summary_max_token_limit: 10 }
  quiet:
    transport: { type: stdio, command: a }
    summarization: { enabled: false, size_threshold_tokens: 400 }
  other:
    transport: { type: stdio, command: a }
    summarization: { size_threshold_tokens: 400, llm_provider: other }
  keyless:
    transport: { type: stdio, command: a }
    summarization: { size_threshold_tokens: 400, llm_provider: openai-default }
";
const PROVIDERS: &str = "
llm_providers:
  tape: { type: replay, cassette: tape.yaml }
  other: { type: replay, cassette: other.yaml }
  small: { type: replay, cassette: tape.yaml, max_tool_result_tokens: 5 }
";
const TAPE: &str = "
cassette: 1
agents:
  good:
    - chunks: [{ text: 'Pod db-1 was ' }, { text: refused. }, { usage: { input_tokens: 9, output_tokens: 4 } }]
  broken:
    - chunks: [{ text: Pod }]
      error: { kind: network, message: The connection broke. }
  empty:
    - chunks: [{ thinking: Hm. }]
  endless:
    - chunks: [{ text: 'And then, and then, and then, ' }, { text: 'and then, and then, and then, and then' }, { text: never }]
";
const OTHER: &str = "cassette: 1\nagents:\n  '*':\n    - chunks: [{ text: Said by another. }]\n";

struct Desk {
    models: Models,
    text: String,
    _folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("tarsy.yaml", TARSY),
            ("llm-providers.yaml", PROVIDERS),
            ("tape.yaml", TAPE),
            ("other.yaml", OTHER),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let environment = Environment::default();
        let config = Config::load(Some(folder.path()), &environment).unwrap().config;
        let models = Models::new(Arc::new(config), Arc::new(environment));
        let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
        let line = |n: usize| format!("{} {} {}\n", words[n % 8], words[n / 8 % 8], words[n / 64]);
        Self { models, text: (0..400).map(line).collect(), _folder: folder }
    }

    fn digester(&self, server: &str) -> Result<Digester, SetupError> {
        let prompts = Arc::new(Prompts::builtin());
        let own = || self.models.model("tape");
        Digester::summarizing_for_server(&self.models, prompts, server, "tape", own)
    }

    /// What an agent of the provider `tape` sees of the text; and the summary as it was streamed.
    async fn digest(&self, server: &str, agent: &str) -> (Digest, Vec<String>) {
        let digester = self.digester(server).unwrap();
        let tool = format!("{server}.pods_log");
        let result = ToolText {
            id: "r-7",
            tool: &tool,
            arguments: r#"{"namespace": "shop"}"#,
            purpose: Some("Why was it refused?"),
            text: &self.text,
            tags: Tags { agent: agent.to_owned(), turn: 1, ..Tags::default() },
        };
        let mut told = Vec::new();
        (digester.digest(&result, |text| told.push(text.to_owned())).await, told)
    }
}

#[tokio::test]
async fn a_model_summarises_with_the_question_of_the_agent_in_mind() {
    let (digest, told) = Desk::new().digest("k8s", "good").await;
    assert_eq!(
        digest.shown,
        "Pod db-1 was refused.\n[A model's summary of a result of about 3482 tokens. To read the result itself, call \
         read_result with id \"r-7\" and either lines (from, to) or a pattern to search for.]"
    );
    assert_eq!(told, ["Pod db-1 was ", "refused."]);
    let Shortening::Summarized(summary) = digest.how else { panic!("{:?}", digest.how) };
    let asked = &summary.request[1].content;
    assert!(asked.contains("Why was it refused?") && asked.contains("alpha beta gamma"), "{asked}");
    let answer = summary.answer.unwrap();
    assert_eq!((answer.reply.usage.output_tokens, answer.origin.unwrap().provider.as_str()), (4, "tape"));
}

#[tokio::test]
async fn a_summary_that_fails_leaves_what_matters_most_and_is_recorded() {
    for (agent, kind) in [
        ("broken", ModelFailureKind::Network),
        ("empty", ModelFailureKind::EmptyReply),
        ("unknown", ModelFailureKind::InvalidRequest),
    ] {
        let (digest, _) = Desk::new().digest("k8s", agent).await;
        assert!(digest.shown.starts_with("alpha alpha alpha\n"), "{}", digest.shown);
        assert!(digest.shown.contains(r#"call read_result with id "r-7""#), "{}", digest.shown);
        assert!(digest.shown.len() < 1200, "{}", digest.shown.len());
        let Shortening::SummaryFailed(summary) = digest.how else { panic!("{:?}", digest.how) };
        assert_eq!(summary.answer.unwrap_err().kind, kind);
        assert_eq!(summary.request.len(), 2);
    }
}

#[tokio::test]
async fn a_model_that_does_not_stop_is_stopped() {
    let (digest, told) = Desk::new().digest("k8s", "endless").await;
    assert!(
        digest.shown.starts_with("And then, and then, and then, and then, and then, and then, […]\n["),
        "{}",
        digest.shown
    );
    assert_eq!(told.len(), 2);
}

#[tokio::test]
async fn a_server_may_have_its_own_model_or_none() {
    let desk = Desk::new();
    assert!(desk.digest("other", "good").await.0.shown.starts_with("Said by another.\n["));
    assert_eq!(desk.digest("quiet", "good").await.0.how, Shortening::Reduced);
    let error = desk.digester("keyless").err().unwrap();
    assert_eq!(error.to_string(), "provider `openai-default` cannot be used without OPENAI_API_KEY");
}

#[tokio::test]
async fn a_provider_that_takes_less_gets_less() {
    let desk = Desk::new();
    let result = |text| ToolText {
        id: "r",
        tool: "k8s.a",
        arguments: "{}",
        purpose: None,
        text,
        tags: Tags::default(),
    };
    let short = "twenty bytes of text";
    let how = async |provider| {
        Digester::for_server(desk.models.config(), "k8s", provider).digest(&result(short), |_| {}).await.how
    };
    assert_eq!(how("tape").await, Shortening::None);
    assert_eq!(how("small").await, Shortening::Reduced);
}
