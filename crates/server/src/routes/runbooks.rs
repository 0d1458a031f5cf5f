//! `/api/v1/runbooks`: the runbooks that can be selected for an alert.

use axum::Json;
use axum::extract::State;

use crate::App;
use crate::runbooks::RunbookListing;

/// Lists the Markdown files of `system.runbooks.repo_url`.
///
/// The list is cached for `system.runbooks.cache_ttl`. If it cannot be read, it is empty and `error` contains
/// the reason.
#[utoipa::path(
    get, path = "/api/v1/runbooks", tag = "alerts",
    responses((status = 200, description = "The runbooks.", body = RunbookListing))
)]
pub(crate) async fn list_runbooks(State(app): State<App>) -> Json<RunbookListing> {
    Json((app.runbook_lister)().await)
}
