//! The description of the interface that is the same for every route: its name, and how errors look.

use utoipa::openapi::path::Operation;
use utoipa::openapi::{
    ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, ResponseBuilder, Schema,
};
use utoipa::{PartialSchema, ToSchema};

use crate::error::ErrorResponse;

/// Errors that every route may answer with, and when.
const COMMON: [(&str, &str); 6] = [
    ("400", "The request is wrong; the message says where and what would be right."),
    ("401", "Nobody said who is asking."),
    ("403", "Who is asking may not do this."),
    ("429", "Too many requests; `Retry-After` says when to come again."),
    ("500", "The server broke; its log says why."),
    ("503", "The database does not answer, or the server is stopping."),
];

/// A document without routes.
pub(crate) fn base() -> OpenApi {
    let info = InfoBuilder::new().title("TARSy").version(env!("CARGO_PKG_VERSION")).description(Some(
        "Alerts go in, investigations come out. Times are microseconds since 1970, durations milliseconds.",
    ));
    OpenApiBuilder::new().info(info.build()).build()
}

/// Adds what holds for every route: what it may answer besides, and that answers always have all their fields.
pub(crate) fn completed(document: OpenApi) -> OpenApi {
    with_whole_answers(with_common_errors(document))
}

/// Whoever reads an answer finds each field, with null where there is nothing to say.
fn with_whole_answers(mut document: OpenApi) -> OpenApi {
    let schemas = document.components.iter_mut().flat_map(|components| components.schemas.iter_mut());
    for (_, schema) in schemas.filter(|(name, _)| name.ends_with("Response")) {
        require_all(schema);
    }
    document
}

fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.required = object.properties.keys().cloned().collect(),
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(require_all),
        RefOr::T(_) | RefOr::Ref(_) => {}
    }
}

fn with_common_errors(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_default();
    components.schemas.insert(ErrorResponse::name().into_owned(), ErrorResponse::schema());
    let mut nested = Vec::new();
    ErrorResponse::schemas(&mut nested);
    components.schemas.extend(nested);
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete, &mut item.patch];
        operations.into_iter().flatten().for_each(add_errors);
    }
    document
}

fn add_errors(operation: &mut Operation) {
    for (status, when) in COMMON {
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| {
            let schema = RefOr::Ref(Ref::from_schema_name(ErrorResponse::name()));
            let content = ContentBuilder::new().schema(Some(schema)).build();
            RefOr::T(ResponseBuilder::new().description(when).content("application/json", content).build())
        });
    }
}
