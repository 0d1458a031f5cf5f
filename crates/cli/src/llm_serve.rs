//! `tarsy llm-serve`: serves the configured models over gRPC (llm.v1).

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tarsy_config::file::{LlmBackend, ProviderConfig};
use tarsy_config::{Config, Environment, Loaded};
use tarsy_engine::Models;
use tarsy_llm::{Model, ModelSelection, ModelService, SelectionError};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tracing::{info, warn};

use crate::arguments::{GlobalArguments, LlmServeArguments};
use crate::check::print_warnings;
use crate::signals::stop_on_signal;

/// How long replies in flight may continue after the stop signal.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves until the process receives a signal.
pub(crate) fn llm_serve(global: &GlobalArguments, arguments: &LlmServeArguments) -> anyhow::Result<()> {
    let Loaded { config, warnings } = Config::load(global.config_dir(), &Environment::from_process())?;
    print_warnings(&warnings)?;
    let environment = config.environment().clone();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(async {
        let stop = stop_on_signal()?;
        let listener = ModelListener::bind(arguments.listen).await?;
        writeln!(std::io::stdout(), "listening on {}", listener.address).context("writing the address")?;
        listener.serve(Arc::new(Models::new(Arc::new(config), Arc::new(environment))), stop).await
    })
}

/// A gRPC server that is bound to its address.
pub(crate) struct ModelListener {
    listener: TcpListener,
    /// The address it listens on.
    pub(crate) address: SocketAddr,
}

impl ModelListener {
    /// Binds a loopback address. Other addresses are rejected, because the service has no authentication.
    pub(crate) async fn bind(address: SocketAddr) -> anyhow::Result<Self> {
        if !address.ip().is_loopback() {
            bail!(
                "cannot listen on {address}: the gRPC service has no authentication; use a loopback address such as \
                 127.0.0.1 or [::1]"
            );
        }
        let listener = TcpListener::bind(address).await.with_context(|| format!("listening on {address}"))?;
        let address = listener.local_addr().context("listening")?;
        Ok(Self { listener, address })
    }

    /// Serves the models until `stop` is cancelled.
    pub(crate) async fn serve(self, models: Arc<Models>, stop: CancellationToken) -> anyhow::Result<()> {
        info!(server.address = %self.address, "serving models over gRPC");
        let selector = ProviderSelector { models };
        let service = ModelService::new(move |request| selector.select(request));
        let incoming = TcpIncoming::from(self.listener).with_nodelay(Some(true));
        let serving = Server::builder()
            .add_service(service.into_server())
            .serve_with_incoming_shutdown(incoming, stop.cancelled());
        tokio::select! {
            served = serving => served.context("serving models over gRPC"),
            () = drain_timeout(&stop) => Ok(()),
        }
    }
}

/// Waits for the stop signal and then for the drain timeout.
async fn drain_timeout(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(DRAIN_TIMEOUT).await;
    warn!(wait_ms = DRAIN_TIMEOUT.as_millis(), "stopped with replies in flight");
}

/// Selects the model of a request. Clients may use the configured providers with any model name, but only with the
/// configured keys and endpoints.
struct ProviderSelector {
    models: Arc<Models>,
}

impl ProviderSelector {
    fn select(&self, requested: &ModelSelection) -> Result<Arc<dyn Model>, SelectionError> {
        let (name, provider) = self.provider(requested)?;
        self.check_overrides(requested, name, provider)?;
        let model = Some(requested.model.as_str()).filter(|model| !model.is_empty());
        let backend = if requested.backend == "google-native" {
            LlmBackend::GoogleNative
        } else {
            LlmBackend::Langchain
        };
        let selected = self.models.selected_model(name, model, backend);
        selected.map_err(|error| SelectionError(error.in_full()))
    }

    /// Finds a provider by its name or, for other llm.v1 clients, the first usable one of a vendor; providers that the
    /// whole request fits come first.
    fn provider(&self, requested: &ModelSelection) -> Result<(&str, &ProviderConfig), SelectionError> {
        let config = self.models.config();
        let providers = config.providers();
        let name =
            if requested.provider.is_empty() { config.default_provider() } else { &requested.provider };
        if let Some((name, provider)) = providers.get_key_value(name) {
            return Ok((name, provider));
        }
        let of_vendor = || providers.iter().filter(|(_, provider)| provider.r#type.as_str() == name);
        let usable =
            || of_vendor().filter(|(_, provider)| provider.missing(self.models.environment()).is_empty());
        let fitting =
            usable().find(|(name, provider)| self.check_overrides(requested, name, provider).is_ok());
        let found = fitting.or_else(|| usable().next()).or_else(|| of_vendor().next());
        found.map(|(name, provider)| (name.as_str(), provider)).ok_or_else(|| {
            let known: Vec<&str> = providers.keys().map(String::as_str).collect();
            SelectionError(format!("unknown provider `{name}`; known providers: {}", known.join(", ")))
        })
    }

    /// Rejects other keys and endpoints: a client that could choose both could send any secret of this process to
    /// itself.
    fn check_overrides(
        &self,
        requested: &ModelSelection,
        name: &str,
        provider: &ProviderConfig,
    ) -> Result<(), SelectionError> {
        let base_url = provider.base_url.as_ref().map_or("", |url| url.expose());
        if !requested.base_url.is_empty()
            && requested.base_url.trim_end_matches('/') != base_url.trim_end_matches('/')
        {
            return Err(SelectionError(format!(
                "provider `{name}` uses its configured base_url; leave base_url empty"
            )));
        }
        let own_names = [
            ("api_key_env", &requested.api_key_env, provider.api_key_env()),
            ("credentials_env", &requested.credentials_env, provider.credentials_env()),
            ("project", &requested.project, self.value_of(provider.project_env())),
            ("location", &requested.location, self.value_of(provider.location_env())),
        ];
        for (field, requested, own) in own_names {
            let own = own.unwrap_or_default();
            if requested.is_empty() || requested == own {
                continue;
            }
            return Err(SelectionError(if own.is_empty() {
                format!("provider `{name}` has no {field}; leave {field} empty")
            } else {
                format!("provider `{name}` uses {field} `{own}`, not `{requested}`; leave {field} empty")
            }));
        }
        Ok(())
    }

    fn value_of(&self, variable: Option<&str>) -> Option<&str> {
        self.models.environment().get(variable?)
    }
}

#[cfg(test)]
mod tests;
