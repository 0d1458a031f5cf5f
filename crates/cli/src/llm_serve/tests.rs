//! Tests of the selection of models, on both sides of the protocol.

use std::fs;
use std::sync::Mutex;

use tarsy_domain::Message;
use tarsy_llm::{Chunk, ChunkStream, ModelError, ModelRequest, NativeTools, Origin, Tags, collect};
use tempfile::TempDir;

use super::*;

/// Returns the models of a configuration, with a project and a location in the environment.
fn models(main: &str, providers: &str) -> (TempDir, Arc<Models>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tarsy.yaml"), main).unwrap();
    fs::write(folder.path().join("llm-providers.yaml"), providers).unwrap();
    let environment =
        [("GOOGLE_CLOUD_PROJECT", "shop"), ("GOOGLE_CLOUD_LOCATION", "global"), ("TEAM", "other")];
    let environment = Environment::from_iter(environment);
    let config = Config::load(Some(folder.path()), &environment).unwrap().config;
    (folder, Arc::new(Models::new(Arc::new(config), Arc::new(environment))))
}

const VERTEX: &str = "
llm_providers:
  cloud: { type: vertexai, model: gemini-3-pro }
  team: { type: vertexai, model: gemini-3-pro, project_env: TEAM }
";

fn selection(provider: &str, project: &str, location: &str) -> ModelSelection {
    ModelSelection {
        provider: provider.to_owned(),
        project: project.to_owned(),
        location: location.to_owned(),
        ..ModelSelection::default()
    }
}

#[test]
fn accepts_its_own_project_and_location() {
    let (_folder, models) = models("{}", VERTEX);
    let selector = ProviderSelector { models };
    let select = |selection: &ModelSelection| {
        selector.select(selection).map(|model| model.origin().provider).map_err(|SelectionError(text)| text)
    };
    assert_eq!(select(&selection("cloud", "shop", "global")).as_deref(), Ok("cloud"));
    assert_eq!(select(&selection("vertexai", "other", "global")).as_deref(), Ok("team"));
    let credentials = ModelSelection {
        credentials_env: "GOOGLE_APPLICATION_CREDENTIALS".to_owned(),
        ..selection("cloud", "shop", "")
    };
    assert_eq!(select(&credentials).as_deref(), Ok("cloud"));
    let differs = "provider `cloud` uses project `shop`, not `bank`; leave project empty";
    assert_eq!(select(&selection("cloud", "bank", "")), Err(differs.to_owned()));
    let differs = "provider `cloud` uses location `global`, not `mars`; leave location empty";
    assert_eq!(select(&selection("cloud", "", "mars")), Err(differs.to_owned()));
    let differs = "provider `openai-default` has no project; leave project empty";
    assert_eq!(select(&selection("openai-default", "shop", "")), Err(differs.to_owned()));
}

/// A model whose calls fail or succeed.
struct Scripted {
    fails: bool,
}

impl Model for Scripted {
    fn origin(&self) -> Origin {
        Origin { provider: "scripted".to_owned(), model: "m".to_owned() }
    }

    fn stream(&self, _: ModelRequest) -> ChunkStream {
        let text = Chunk::Text("Here.".to_owned());
        let error = ModelError::new(tarsy_domain::ModelFailureKind::Credentials, "No.");
        let reply = if self.fails { Err(error) } else { Ok(text) };
        Box::pin(futures_util::stream::iter([Ok(Chunk::From(self.origin())), reply]))
    }
}

/// Starts a service that records what clients select. The provider `google` fails.
async fn recording_service() -> (SocketAddr, Arc<Mutex<Vec<ModelSelection>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let service = ModelService::new(move |selected: &ModelSelection| {
        keep.lock().unwrap().push(selected.clone());
        Ok(Arc::new(Scripted { fails: selected.provider == "google" }) as Arc<dyn Model>)
    });
    let server = Server::builder().add_service(service.into_server());
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    (address, seen)
}

#[tokio::test]
async fn a_service_gets_the_backend_of_the_strategy_and_of_the_fallback() {
    let (address, seen) = recording_service().await;
    let providers = format!(
        "
llm_providers:
  first: {{ type: grpc, base_url: 'http://{address}', model: google/gemini-3-pro, remote_base_url: 'https://g.example.com' }}
  second: {{ type: grpc, base_url: 'http://{address}', model: vertexai/gemini-3-pro, credentials_env: CREDENTIALS }}
"
    );
    let main = "
agent_chains:
  c:
    alert_types: [a]
    llm_provider: first
    fallback_providers: [{ provider: second, backend: langchain }]
    stages: [{ name: s, agent: KubernetesAgent, iteration_strategy: native-thinking }]
";
    let (_folder, models) = models(main, &providers);
    let agent = models.config().resolved_chain("c").unwrap().stages.remove(0).agents.remove(0);
    let request = ModelRequest {
        messages: vec![Arc::new(Message::user("Why?"))],
        tools: Arc::new([]),
        native_tools: NativeTools::default(),
        stop_sequences: &[],
        tags: Tags::default(),
    };
    collect(models.chain(&agent).unwrap().stream(request)).await.unwrap();
    let model = "gemini-3-pro".to_owned();
    let first = ModelSelection {
        provider: "google".to_owned(),
        base_url: "https://g.example.com".to_owned(),
        backend: "google-native".to_owned(),
        model: model.clone(),
        ..ModelSelection::default()
    };
    let second = ModelSelection {
        provider: "vertexai".to_owned(),
        credentials_env: "CREDENTIALS".to_owned(),
        project: "shop".to_owned(),
        location: "global".to_owned(),
        backend: "langchain".to_owned(),
        model,
        ..ModelSelection::default()
    };
    assert_eq!(*seen.lock().unwrap(), [first, second]);
}
