//! Rejects query parameters that a route does not define.
//!
//! A mistyped filter would otherwise be ignored silently. The parameters of each route are read from its
//! OpenAPI description.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr};

use crate::ApiError;

/// The query parameters of each operation.
#[derive(Debug, Clone)]
pub(crate) struct KnownParameters(Arc<HashMap<(String, Method), BTreeSet<String>>>);

impl KnownParameters {
    /// Collects the parameters that an OpenAPI document describes.
    pub(crate) fn of(document: &OpenApi) -> Self {
        let mut known = HashMap::new();
        for (path, item) in &document.paths.paths {
            let operations = [
                (Method::GET, &item.get),
                (Method::POST, &item.post),
                (Method::PUT, &item.put),
                (Method::DELETE, &item.delete),
                (Method::PATCH, &item.patch),
            ];
            for (method, operation) in operations {
                if let Some(operation) = operation {
                    known.insert((path.clone(), method), in_query(operation));
                }
            }
        }
        Self(Arc::new(known))
    }

    /// Returns the first parameter of a query that the operation does not define, and the names of those it
    /// defines.
    fn unknown(&self, path: &str, method: &Method, query: &str) -> Option<(String, String)> {
        // HEAD is handled by the GET route.
        let described = if method == Method::HEAD { Method::GET } else { method.clone() };
        let known = self.0.get(&(path.to_owned(), described))?;
        let given: Vec<(String, String)> = serde_html_form::from_str(query).unwrap_or_default();
        let (unknown, _) = given.into_iter().find(|(name, _)| !known.contains(name))?;
        Some((unknown, known.iter().map(String::as_str).collect::<Vec<_>>().join(", ")))
    }
}

fn in_query(operation: &Operation) -> BTreeSet<String> {
    let parameters = operation.parameters.iter().flatten();
    let in_query = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => Some(parameter.name.clone()),
        RefOr::T(_) | RefOr::Ref(_) => None,
    });
    in_query.collect()
}

/// Middleware that rejects requests with unknown query parameters.
pub(crate) async fn reject_unknown_parameters(
    State(known): State<KnownParameters>,
    path: MatchedPath,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let query = request.uri().query().unwrap_or_default();
    match known.unknown(path.as_str(), request.method(), query) {
        None => Ok(next.run(request).await),
        Some((unknown, known)) if known.is_empty() => {
            Err(ApiError::bad(&unknown, "unknown parameter; this route has no parameters"))
        }
        Some((unknown, known)) => {
            Err(ApiError::bad(&unknown, format!("unknown parameter; expected one of: {known}")))
        }
    }
}
