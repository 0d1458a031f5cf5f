//! Digests of long results: summarized by a recorded model, reduced if that fails.

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
  narrow: { type: replay, cassette: tape.yaml, context_window: 10 }
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
const OTHER: &str = "cassette: 1\nagents:\n  '*':\n    - chunks: [{ text: ScriptedReply by another. }]\n";

struct DigestFixture {
    models: Models,
    text: String,
    _folder: TempDir,
}

impl DigestFixture {
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

    /// Digests the text for an agent of the provider `tape`; returns the digest and the streamed chunks.
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
        let mut chunks = Vec::new();
        (digester.digest(&result, |text| chunks.push(text.to_owned())).await, chunks)
    }
}

#[tokio::test]
async fn the_summary_prompt_includes_the_purpose_of_the_call() {
    let (digest, chunks) = DigestFixture::new().digest("k8s", "good").await;
    assert_eq!(
        digest.shown,
        "Pod db-1 was refused.\n[This is a summary, written by a model, of a result of about 3482 tokens. To read the result itself, call \
         read_result with id \"r-7\" and either lines (from, to) or a pattern to search for.]"
    );
    assert_eq!(chunks, ["Pod db-1 was ", "refused."]);
    let Shortening::Summarized(summary) = digest.how else { panic!("{:?}", digest.how) };
    let prompt = &summary.request[1].content;
    assert!(prompt.contains("Why was it refused?") && prompt.contains("alpha beta gamma"), "{prompt}");
    let summary = summary.outcome.unwrap();
    assert_eq!((summary.reply.usage.output_tokens, summary.origin.unwrap().provider.as_str()), (4, "tape"));
}

#[tokio::test]
async fn a_failed_summary_falls_back_to_a_reduced_result() {
    for (agent, kind) in [
        ("broken", ModelFailureKind::Network),
        ("empty", ModelFailureKind::EmptyReply),
        ("unknown", ModelFailureKind::InvalidRequest),
    ] {
        let (digest, _) = DigestFixture::new().digest("k8s", agent).await;
        assert!(digest.shown.starts_with("alpha alpha alpha\n"), "{}", digest.shown);
        assert!(digest.shown.contains(r#"call read_result with id "r-7""#), "{}", digest.shown);
        assert!(digest.shown.len() < 1200, "{}", digest.shown.len());
        let Shortening::SummaryFailed(summary) = digest.how else { panic!("{:?}", digest.how) };
        assert_eq!(summary.outcome.unwrap_err().kind, kind);
        assert_eq!(summary.request.len(), 2);
    }
}

#[tokio::test]
async fn truncates_a_summary_that_exceeds_its_limit() {
    let (digest, chunks) = DigestFixture::new().digest("k8s", "endless").await;
    assert!(
        digest.shown.starts_with("And then, and then, and then, and then, and then, and then, […]\n["),
        "{}",
        digest.shown
    );
    assert_eq!(chunks.len(), 2);
}

#[tokio::test]
async fn a_server_can_name_its_summary_model_or_disable_summaries() {
    let fixture = DigestFixture::new();
    assert!(fixture.digest("other", "good").await.0.shown.starts_with("ScriptedReply by another.\n["));
    assert_eq!(fixture.digest("quiet", "good").await.0.how, Shortening::Reduced);
    let error = fixture.digester("keyless").err().unwrap();
    assert_eq!(error.to_string(), "provider `openai-default` cannot be used without OPENAI_API_KEY");
}

#[tokio::test]
async fn a_provider_can_lower_the_threshold() {
    let fixture = DigestFixture::new();
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
        Digester::for_server(fixture.models.config(), "k8s", provider)
            .digest(&result(short), |_| {})
            .await
            .how
    };
    assert_eq!(how("tape").await, Shortening::None);
    assert_eq!(how("small").await, Shortening::Reduced);
    assert_eq!(how("narrow").await, Shortening::Reduced);
}
