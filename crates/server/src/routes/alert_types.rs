//! `/api/v1/alert-types`: which alerts are investigated, and by which chain.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;

/// The alert types that can be sent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AlertTypesResponse {
    /// All of them, in order.
    alert_types: Vec<AlertTypeResponse>,
    /// The type of an alert that does not name one.
    default_alert_type: String,
}

/// An alert type.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AlertTypeResponse {
    alert_type: String,
    /// The chain that investigates it.
    chain_id: String,
    /// What the chain does.
    description: Option<String>,
}

/// Lists the alert types that can be sent.
#[utoipa::path(
    get,
    path = "/api/v1/alert-types",
    tag = "alerts",
    responses((status = 200, description = "The types.", body = AlertTypesResponse))
)]
pub(crate) async fn list_alert_types(State(app): State<App>) -> Json<AlertTypesResponse> {
    let chains = app.config.chains().iter();
    let mut alert_types: Vec<AlertTypeResponse> = chains
        .flat_map(|(chain_id, chain)| {
            chain.named_alert_types().map(|alert_type| AlertTypeResponse {
                alert_type: alert_type.to_owned(),
                chain_id: chain_id.clone(),
                description: chain.description.clone(),
            })
        })
        .collect();
    alert_types.sort_by(|one, other| one.alert_type.cmp(&other.alert_type));
    Json(AlertTypesResponse { alert_types, default_alert_type: app.config.defaults().alert_type.clone() })
}
