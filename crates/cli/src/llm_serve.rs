//! `tarsy llm-serve`: our models for everybody who speaks llm.v1.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tarsy_config::file::ProviderConfig;
use tarsy_config::{Config, Environment, Loaded};
use tarsy_engine::Models;
use tarsy_llm::{Asked, Model, ModelService, Refused};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tracing::{info, warn};

use crate::arguments::{LlmServeArguments, Shared};
use crate::check::print_warnings;
use crate::serve::stop_on_signal;

/// How long replies may go on after the process was told to stop.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// Serves until the process is told to stop.
pub(crate) fn llm_serve(shared: &Shared, arguments: &LlmServeArguments) -> anyhow::Result<()> {
    let environment = Environment::from_process();
    let Loaded { config, warnings } = Config::load(shared.config_dir(), &environment)?;
    print_warnings(&warnings)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(async {
        let stop = stop_on_signal()?;
        let desk = ModelDesk::open(arguments.listen).await?;
        writeln!(std::io::stdout(), "listening on {}", desk.address).context("writing the address")?;
        desk.serve(Arc::new(Models::new(Arc::new(config), Arc::new(environment))), stop).await
    })
}

/// A bound address at which models are offered.
pub(crate) struct ModelDesk {
    listener: TcpListener,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

impl ModelDesk {
    /// Binds an address of this machine.
    pub(crate) async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        if !address.ip().is_loopback() {
            bail!(
                "refusing to listen on {address}: whoever reaches it uses your models, and nothing asks who they \
                 are; listen on 127.0.0.1 or [::1]"
            );
        }
        let listener = TcpListener::bind(address).await.with_context(|| format!("listening on {address}"))?;
        let address = listener.local_addr().context("listening")?;
        Ok(Self { listener, address })
    }

    /// Offers the models of a configuration until told to stop.
    pub(crate) async fn serve(self, models: Arc<Models>, stop: CancellationToken) -> anyhow::Result<()> {
        info!(server.address = %self.address, "offering models");
        let offer = Offer { models };
        let service = ModelService::new(move |asked| offer.choose(asked));
        let incoming = TcpIncoming::from(self.listener).with_nodelay(Some(true));
        let serving = Server::builder()
            .add_service(service.into_server())
            .serve_with_incoming_shutdown(incoming, stop.cancelled());
        tokio::select! {
            served = serving => served.context("offering models"),
            () = overdue(&stop) => Ok(()),
        }
    }
}

/// Ends when replies that are under way have had their time.
async fn overdue(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(LAST_WORDS).await;
    warn!(wait_ms = LAST_WORDS.as_millis(), "stopped while replies were under way");
}

/// What clients may ask for: the configured providers with the configured keys and places, under any model name.
struct Offer {
    models: Arc<Models>,
}

impl Offer {
    fn choose(&self, asked: &Asked) -> Result<Arc<dyn Model>, Refused> {
        let (name, provider) = self.provider(asked)?;
        allow(asked, name, provider)?;
        let model =
            if asked.model.is_empty() { provider.model.as_deref().unwrap_or_default() } else { &asked.model };
        self.models.model_called(name, model).map_err(|error| Refused(error.in_full()))
    }

    /// A provider by its name or, as others know them, the first usable one of a vendor.
    fn provider(&self, asked: &Asked) -> Result<(&str, &ProviderConfig), Refused> {
        let config = self.models.config();
        let providers = config.providers();
        let name = if asked.provider.is_empty() { config.default_provider() } else { &asked.provider };
        if let Some((name, provider)) = providers.get_key_value(name) {
            return Ok((name, provider));
        }
        let of_vendor = || providers.iter().filter(|(_, provider)| provider.r#type.as_str() == name);
        let usable = of_vendor().find(|(_, provider)| provider.missing(self.models.environment()).is_empty());
        usable.or_else(|| of_vendor().next()).map(|(name, provider)| (name.as_str(), provider)).ok_or_else(
            || {
                let known: Vec<&str> = providers.keys().map(String::as_str).collect();
                Refused(format!("there is no provider `{name}`; there are: {}", known.join(", ")))
            },
        )
    }
}

/// A client that could name any variable and any place could send itself any secret of this process.
fn allow(asked: &Asked, name: &str, provider: &ProviderConfig) -> Result<(), Refused> {
    let key = provider.api_key_env().unwrap_or_default();
    if !asked.api_key_env.is_empty() && asked.api_key_env != key {
        return Err(Refused(format!(
            "provider `{name}` takes its key from `{key}` and from no other variable"
        )));
    }
    let place = provider.base_url.as_ref().map_or("", |url| url.expose());
    if !asked.base_url.is_empty() && asked.base_url != place {
        return Err(Refused(format!(
            "provider `{name}` is reached at its configured place only; leave base_url empty"
        )));
    }
    let fixed = [
        ("credentials_env", &asked.credentials_env, provider.credentials_env.as_deref()),
        ("project", &asked.project, None),
        ("location", &asked.location, None),
    ];
    for (field, asked, own) in fixed {
        if !asked.is_empty() && Some(asked.as_str()) != own {
            return Err(Refused(format!("provider `{name}` has its own {field}; leave it empty")));
        }
    }
    Ok(())
}
