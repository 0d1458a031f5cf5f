//! The Kubernetes manifests.

use serde_json::{Value, json};
use tarsy_testkit::TestDatabase;

use super::dockerfile::Dockerfile;
use super::files;
use super::launch::Launch;

const FOLDER: &str = "packaging/kubernetes";
const CONFIG: &str = "packaging/kubernetes/config";

/// Returns all objects that `kubectl apply` would create.
fn objects() -> Vec<Value> {
    let kustomization = files::document(&format!("{FOLDER}/kustomization.yaml"));
    let names = files::texts(&kustomization["resources"]);
    names.iter().flat_map(|name| files::documents(&format!("{FOLDER}/{name}"))).collect()
}

fn the(kind: &str) -> Value {
    let mut found = objects().into_iter().filter(|object| object["kind"] == kind);
    found.next().unwrap_or_else(|| panic!("no {kind}"))
}

fn pod() -> Value {
    the("Deployment")["spec"]["template"]["spec"].clone()
}

fn container() -> Value {
    let containers = pod()["containers"].as_array().unwrap().clone();
    assert_eq!(containers.len(), 1);
    containers[0].clone()
}

#[tokio::test]
async fn a_pod_serves_on_postgres_and_creates_tokens() {
    let database = TestDatabase::postgres().await;
    let mut environment = Dockerfile::parse(&files::read("Dockerfile")).environment();
    environment.push(("TARSY_DATABASE_URL".to_owned(), database.url.clone()));
    let launch = Launch { arguments: files::texts(&container()["args"]), environment, config: CONFIG };
    launch.check_config();
    launch.check_server().await;
    launch.check_documented_token_command("kubectl --namespace tarsy exec deployment/tarsy -- tarsy ");
    database.remove().await;
}

#[test]
fn every_manifest_is_in_the_kustomization() {
    let listed = files::read(&format!("{FOLDER}/kustomization.yaml"));
    for entry in std::fs::read_dir(files::path(FOLDER)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".yaml") || name == "kustomization.yaml" {
            continue;
        }
        assert!(listed.contains(&format!("- {name}")), "{name} is not in the kustomization");
        for object in files::documents(&format!("{FOLDER}/{name}")) {
            assert!(object["apiVersion"].is_string() && object["metadata"]["name"].is_string(), "{name}");
        }
    }
    for file in files::texts(
        &files::document(&format!("{FOLDER}/kustomization.yaml"))["configMapGenerator"][0]["files"],
    ) {
        assert!(files::path(FOLDER).join(file).is_file());
    }
}

#[test]
fn the_documented_secret_has_the_required_keys() {
    assert_eq!(container()["envFrom"], json!([{ "secretRef": { "name": "tarsy" } }]));
    let page = files::read("packaging/README.md");
    assert!(
        page.contains("create secret generic tarsy ") && page.contains("--from-literal=TARSY_DATABASE_URL=")
    );
}

#[test]
fn ports_are_consistent() {
    let exposed: u64 = Dockerfile::parse(&files::read("Dockerfile")).the("EXPOSE").parse().unwrap();
    let container = container();
    assert_eq!(container["ports"], json!([{ "name": "http", "containerPort": exposed }]));
    assert_eq!(the("Service")["spec"]["ports"][0]["targetPort"], "http");
    assert_eq!(the("NetworkPolicy")["spec"]["ingress"][0]["ports"][0]["port"], exposed);
    for (probe, path) in
        [("startupProbe", "/health"), ("livenessProbe", "/health"), ("readinessProbe", "/ready")]
    {
        assert_eq!(container[probe]["httpGet"], json!({ "path": path, "port": "http" }));
    }
}

#[test]
fn all_selectors_match_the_pods() {
    let labels = the("Deployment")["spec"]["template"]["metadata"]["labels"].clone();
    assert_eq!(the("Deployment")["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(the("Service")["spec"]["selector"], labels);
    assert_eq!(the("PodDisruptionBudget")["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(the("NetworkPolicy")["spec"]["podSelector"]["matchLabels"], labels);
    for spread in pod()["topologySpreadConstraints"].as_array().unwrap() {
        assert_eq!(spread["labelSelector"]["matchLabels"], labels);
    }
}

#[test]
fn a_pod_is_unprivileged_and_has_read_only_access_to_the_cluster() {
    let image = Dockerfile::parse(&files::read("Dockerfile"));
    let context = &pod()["securityContext"];
    let user = format!("{}:{}", context["runAsUser"], context["runAsGroup"]);
    assert_eq!((image.the("USER"), &context["runAsNonRoot"]), (user.as_str(), &json!(true)));
    assert_eq!(context["seccompProfile"]["type"], "RuntimeDefault");
    let expected = json!({
        "allowPrivilegeEscalation": false,
        "readOnlyRootFilesystem": true,
        "capabilities": { "drop": ["ALL"] },
    });
    assert_eq!(container()["securityContext"], expected);
    for rule in the("ClusterRole")["rules"].as_array().unwrap() {
        for verb in files::texts(&rule["verbs"]) {
            assert!(["get", "list", "watch"].contains(&verb.as_str()), "{rule}");
        }
        // Access to nodes/proxy allows running commands in pods.
        assert!(
            !files::texts(&rule["resources"])
                .iter()
                .any(|resource| ["secrets", "nodes/proxy"].contains(&resource.as_str()))
        );
    }
}

#[test]
fn a_pod_has_time_to_finish_its_sessions() {
    let deployment = the("Deployment");
    let grace = pod()["terminationGracePeriodSeconds"].as_u64().unwrap();
    let pause = container()["lifecycle"]["preStop"]["sleep"]["seconds"].as_u64().unwrap();
    let needed =
        pause + files::graceful_seconds("packaging/kubernetes/config/tarsy.yaml") + files::STOPPING_SECONDS;
    assert!(grace >= needed, "{grace} s instead of at least {needed} s");
    assert!(deployment["spec"]["replicas"].as_u64().unwrap() >= 3);
    assert_eq!(the("PodDisruptionBudget")["spec"]["maxUnavailable"], 1);
}

#[test]
fn the_tools_differ_from_the_built_in_ones_only_in_their_command() {
    let ours = &files::document(&format!("{CONFIG}/tarsy.yaml"))["mcp_servers"]["kubernetes-server"];
    let built_in = &files::document("crates/config/src/builtin.yaml")["mcp_servers"]["kubernetes-server"];
    assert_eq!(ours["instructions"], built_in["instructions"]);
    assert_eq!(ours["data_masking"]["pattern_groups"], built_in["data_masking"]["pattern_groups"]);
    assert_eq!(ours["data_masking"]["patterns"], built_in["data_masking"]["patterns"]);
    let (ours, built_in) = (&ours["transport"], &built_in["transport"]);
    let [_, package, flags @ ..] = &files::texts(&built_in["args"])[..] else { panic!("{built_in}") };
    assert_eq!(files::texts(&ours["args"]), flags);
    assert_eq!(package.split('@').next(), ours["command"].as_str());
}
