//! The container image.

use super::dockerfile::Dockerfile;
use super::files;
use super::launch::Launch;

fn dockerfile() -> Dockerfile {
    Dockerfile::parse(&files::read("Dockerfile"))
}

/// Returns the paths that a Dockerfile copies from the repository.
fn copied(dockerfile: &Dockerfile) -> Vec<&str> {
    let copies = dockerfile.all("COPY").filter(|rest| !rest.contains("--from="));
    copies.flat_map(|rest| rest.split(' ').rev().skip(1)).collect()
}

#[test]
fn copied_files_exist_and_are_not_ignored() {
    let ignored = files::read(".dockerignore");
    for source in copied(&dockerfile()) {
        assert!(files::path(source).exists(), "{source} does not exist");
        let top = source.split('/').next().unwrap();
        assert!(ignored.lines().any(|line| line == format!("!{top}")), "{source} is ignored");
    }
}

#[test]
fn stages_exist_and_the_variant_is_selectable() {
    let dockerfile = dockerfile();
    let stages: Vec<&str> =
        dockerfile.all("FROM").filter_map(|rest| rest.split_once(" AS ")).map(|stage| stage.1).collect();
    for copy in dockerfile.all("COPY") {
        let Some((_, from)) = copy.split_once("--from=") else { continue };
        let stage = from.split(' ').next().unwrap();
        assert!(stages.contains(&stage), "{copy}");
    }
    let variant = dockerfile.all("ARG").find_map(|rest| rest.strip_prefix("VARIANT=")).unwrap();
    assert_eq!(dockerfile.all("FROM").last(), Some("${VARIANT}"));
    assert!(stages.contains(&variant) && stages.contains(&"with-node"), "{stages:?}");
}

#[test]
fn base_images_have_the_required_versions() {
    let dockerfile = dockerfile();
    let manifest = files::read("Cargo.toml");
    let rust =
        manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"');
    assert_eq!(dockerfile.tag_of("rust"), [format!("{rust}-bookworm")]);
    let package: serde_json::Value = serde_json::from_str(&files::read("dashboard/package.json")).unwrap();
    let wanted = package["engines"]["node"].as_str().unwrap().strip_prefix(">=").unwrap();
    let major = |version: &str| version.split(['.', '-']).next().unwrap().parse::<u32>().unwrap();
    for tag in dockerfile.tag_of("node") {
        assert!(major(tag) > major(wanted), "Node {tag} is older than {wanted}");
    }
    let build = dockerfile.all("RUN").find(|rest| rest.contains("cargo build")).unwrap();
    assert!(build.contains("--profile dist --locked --bin tarsy") && manifest.contains("[profile.dist]"));
}

#[test]
fn includes_the_kubernetes_tools_of_the_built_in_configuration() {
    let built_in = files::document("crates/config/src/builtin.yaml");
    let launch = files::texts(&built_in["mcp_servers"]["kubernetes-server"]["transport"]["args"]);
    let package = launch.iter().find(|argument| argument.contains('@')).unwrap();
    assert!(dockerfile().all("RUN").any(|rest| rest.ends_with(&format!("npm install --global {package}"))));
}

#[test]
fn runs_as_an_unprivileged_user() {
    let dockerfile = dockerfile();
    assert_eq!(dockerfile.the("USER"), "65532:65532");
    assert!(
        dockerfile.all("COPY").any(|rest| rest.contains("--chown=65532:65532") && rest.ends_with(" /data"))
    );
    assert_eq!(dockerfile.the("VOLUME"), "/data");
}

#[tokio::test]
async fn the_container_command_serves_and_is_healthy() {
    let dockerfile = dockerfile();
    let environment = dockerfile.environment();
    let listen = environment.iter().find(|(name, _)| name == "TARSY_LISTEN").unwrap();
    assert_eq!(listen.1, format!("0.0.0.0:{}", dockerfile.the("EXPOSE")));
    assert_eq!(dockerfile.words("ENTRYPOINT"), ["tarsy"]);
    assert_eq!(dockerfile.words("HEALTHCHECK"), ["tarsy", "ready"]);
    let launch =
        Launch { arguments: dockerfile.words("CMD"), environment, config: "packaging/compose/config" };
    launch.check_server().await;
}
