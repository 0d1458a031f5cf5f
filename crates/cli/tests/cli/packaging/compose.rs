//! The compose file with TARSy and PostgreSQL.

use serde_json::Value;
use tarsy_testkit::TestDatabase;

use super::dockerfile::Dockerfile;
use super::files;
use super::launch::Launch;

const FILE: &str = "packaging/compose/compose.yaml";
const CONFIG: &str = "packaging/compose/config";
const PASSWORD: &str = "0123456789abcdef";

/// Substitutes variables as compose does, with those of `.env.example` and a password.
fn substituted(text: &str) -> String {
    let Some((before, rest)) = text.split_once("${") else { return text.to_owned() };
    let (inner, after) = rest.split_once('}').unwrap_or_else(|| panic!("unterminated variable in {text}"));
    let value = match (inner.split_once(":-"), inner.split_once(":?")) {
        (Some((_, default)), _) => default,
        (None, Some((name, _))) => {
            assert!(
                files::read("packaging/compose/.env.example").contains(&format!("\n{name}=\n")),
                "{name}"
            );
            PASSWORD
        }
        (None, None) => panic!("{inner} has neither a default nor an error"),
    };
    format!("{before}{value}{}", substituted(after))
}

fn environment(service: &Value) -> Vec<(String, String)> {
    let variables = service["environment"].as_object().unwrap();
    variables.iter().map(|(name, value)| (name.clone(), substituted(value.as_str().unwrap()))).collect()
}

fn value<'a>(environment: &'a [(String, String)], wanted: &str) -> &'a str {
    let (_, value) =
        environment.iter().find(|(name, _)| name == wanted).unwrap_or_else(|| panic!("no {wanted}"));
    value
}

/// Returns how compose starts the program, on another database.
fn launch(service: &Value, database: &TestDatabase) -> Launch {
    let mut environment = environment(service);
    environment.retain(|(name, _)| name != "TARSY_DATABASE_URL");
    environment.push(("TARSY_DATABASE_URL".to_owned(), database.url.clone()));
    // Variables of the image apply unless compose overrides them.
    environment.extend(Dockerfile::parse(&files::read("Dockerfile")).environment());
    Launch { arguments: files::texts(&service["command"]), environment, config: CONFIG }
}

#[tokio::test]
async fn the_service_runs_on_postgres_and_creates_tokens() {
    let file = files::document(FILE);
    let database = TestDatabase::postgres().await;
    let launch = launch(&file["services"]["tarsy"], &database);
    launch.check_config();
    launch.check_server().await;
    launch.check_documented_token_command("docker compose exec tarsy tarsy ");
    database.remove().await;
}

#[test]
fn the_service_uses_the_database_of_the_file() {
    let file = files::document(FILE);
    let (tarsy, postgres) = (&file["services"]["tarsy"], environment(&file["services"]["postgres"]));
    let expected = format!(
        "postgres://{}:{}@postgres/{}",
        value(&postgres, "POSTGRES_USER"),
        value(&postgres, "POSTGRES_PASSWORD"),
        value(&postgres, "POSTGRES_DB")
    );
    assert_eq!(value(&environment(tarsy), "TARSY_DATABASE_URL"), expected);
    assert_eq!(tarsy["depends_on"]["postgres"]["condition"], "service_healthy");
    assert!(file["services"]["postgres"]["healthcheck"]["test"].is_array());
    let volume = files::texts(&file["services"]["postgres"]["volumes"])[0].clone();
    assert!(file["volumes"].as_object().unwrap().contains_key(volume.split(':').next().unwrap()));
}

#[test]
fn the_service_builds_our_image_and_mounts_the_configuration() {
    let tarsy = &files::document(FILE)["services"]["tarsy"];
    let context = files::path("packaging/compose").join(tarsy["build"]["context"].as_str().unwrap());
    assert!(context.join("Dockerfile").is_file());
    let [mount] = &files::texts(&tarsy["volumes"])[..] else { panic!("one mount: {tarsy}") };
    assert_eq!(mount, "./config:/config:ro");
    assert!(files::path(CONFIG).join("tarsy.yaml").is_file());
    assert_eq!(files::texts(&tarsy["ports"]), ["127.0.0.1:8080:8080"]);
    assert_eq!(files::texts(&tarsy["healthcheck"]["test"]), ["CMD", "tarsy", "ready"]);
    assert_eq!(
        (&tarsy["read_only"], files::texts(&tarsy["tmpfs"])),
        (&Value::Bool(true), vec!["/tmp".to_owned()])
    );
    let grace = tarsy["stop_grace_period"].as_str().unwrap().strip_suffix('m').unwrap();
    let needed = files::graceful_seconds("packaging/compose/config/tarsy.yaml") + files::STOPPING_SECONDS;
    assert!(grace.parse::<u64>().unwrap() * 60 >= needed);
}

#[test]
fn no_secrets_are_committed() {
    assert!(files::read(".gitignore").lines().any(|line| line == ".env"));
    for line in files::read("packaging/compose/.env.example").lines().filter(|line| !line.starts_with('#')) {
        assert!(line.is_empty() || line.ends_with('='), "{line}");
    }
}
