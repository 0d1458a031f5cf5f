//! Replicas on Kubernetes.

use serde_json::{Value, json};
use tarsy_testkit::TestDatabase;

use super::dockerfile::Dockerfile;
use super::files;
use super::started::Started;

const FOLDER: &str = "packaging/kubernetes";
const CONFIG: &str = "packaging/kubernetes/config";

/// Every object that `kubectl apply` would make.
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
async fn what_a_pod_starts_serves_on_postgres_and_lets_its_owner_in() {
    let database = TestDatabase::postgres().await;
    let mut environment = Dockerfile::parse(&files::read("Dockerfile")).environment();
    environment.push(("TARSY_DATABASE_URL".to_owned(), database.url.clone()));
    let started = Started { arguments: files::texts(&container()["args"]), environment, config: CONFIG };
    started.has_a_right_configuration();
    started.serves().await;
    started.makes_tokens_as_documented("kubectl --namespace tarsy exec deployment/tarsy -- tarsy ");
    database.remove().await;
}

#[test]
fn every_file_is_an_object_and_is_listed_or_named_as_left_out() {
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
fn the_documented_secret_has_what_a_pod_needs() {
    assert_eq!(container()["envFrom"], json!([{ "secretRef": { "name": "tarsy" } }]));
    let page = files::read("packaging/README.md");
    assert!(
        page.contains("create secret generic tarsy ") && page.contains("--from-literal=TARSY_DATABASE_URL=")
    );
}

#[test]
fn ports_agree_from_the_image_to_the_service() {
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
fn everything_that_selects_pods_selects_these() {
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
fn a_pod_has_no_rights_on_its_node_and_may_only_look_at_the_cluster() {
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
        // Who may read the second may run commands in pods.
        assert!(
            !files::texts(&rule["resources"])
                .iter()
                .any(|resource| ["secrets", "nodes/proxy"].contains(&resource.as_str()))
        );
    }
}

#[test]
fn a_pod_that_ends_has_time_for_its_sessions_and_others_are_left() {
    let deployment = the("Deployment");
    let grace = pod()["terminationGracePeriodSeconds"].as_u64().unwrap();
    let pause = container()["lifecycle"]["preStop"]["sleep"]["seconds"].as_u64().unwrap();
    let needed =
        pause + files::graceful_seconds("packaging/kubernetes/config/tarsy.yaml") + files::STOPPING_SECONDS;
    assert!(grace >= needed, "{grace} s, and {needed} s are needed");
    assert!(deployment["spec"]["replicas"].as_u64().unwrap() >= 3);
    assert_eq!(the("PodDisruptionBudget")["spec"]["maxUnavailable"], 1);
}

#[test]
fn the_tools_in_the_image_are_the_built_in_ones_but_for_how_they_are_started() {
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
