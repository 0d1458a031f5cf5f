//! `/api/v1/alert-types`: the alert types and the chain of each.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;

/// The configured alert types.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AlertTypesResponse {
    /// All alert types, in alphabetical order.
    alert_types: Vec<AlertTypeResponse>,
    /// The type of alerts that do not name one.
    default_alert_type: String,
    /// The chain of `default_alert_type`; null if no chain handles it.
    default_chain_id: Option<String>,
}

/// An alert type.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AlertTypeResponse {
    /// The name of the alert type.
    alert_type: String,
    /// Alias of `alert_type`, for clients of the Go version of TARSy.
    #[serde(rename = "type")]
    type_alias: String,
    /// The chain that investigates alerts of this type.
    chain_id: String,
    /// Description of the chain.
    description: Option<String>,
}

/// Lists the alert types.
#[utoipa::path(
    get,
    path = "/api/v1/alert-types",
    tag = "alerts",
    responses((status = 200, description = "The alert types.", body = AlertTypesResponse))
)]
pub(crate) async fn list_alert_types(State(app): State<App>) -> Json<AlertTypesResponse> {
    let chains = app.config.chains().iter();
    let mut alert_types: Vec<AlertTypeResponse> = chains
        .flat_map(|(chain_id, chain)| {
            chain.named_alert_types().map(|alert_type| AlertTypeResponse {
                alert_type: alert_type.to_owned(),
                type_alias: alert_type.to_owned(),
                chain_id: chain_id.clone(),
                description: chain.description.clone(),
            })
        })
        .collect();
    alert_types.sort_by(|one, other| one.alert_type.cmp(&other.alert_type));
    let default_alert_type = app.config.defaults().alert_type.clone();
    let default_chain = app.config.chain_for_alert_type(&default_alert_type);
    let default_chain_id = default_chain.ok().map(|chain| chain.id);
    Json(AlertTypesResponse { alert_types, default_alert_type, default_chain_id })
}
