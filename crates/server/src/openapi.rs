//! The parts of the OpenAPI document that do not belong to one route: title, common errors and live messages.

use tarsy_domain::{ChannelMessage, ClientCommand, ControlMessage};
use utoipa::ToSchema;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, ResponseBuilder, Schema,
};

use crate::error::ErrorResponse;

/// Error responses that every route may return.
const COMMON: [(&str, &str); 6] = [
    ("400", "The request is invalid; `message` names the field and the expected value."),
    ("401", "The request is not authenticated."),
    ("403", "The caller's role does not permit this."),
    ("429", "Too many requests; retry after the number of seconds in `Retry-After`."),
    ("500", "Internal error; see the server log."),
    ("503", "The database is unavailable, or the server is shutting down."),
];

/// Returns the document without routes.
pub(crate) fn base() -> OpenApi {
    let info = InfoBuilder::new().title("TARSy").version(env!("CARGO_PKG_VERSION")).description(Some(
        "Submit alerts, follow their investigation and read the results. Times are microseconds since the Unix epoch, \
         durations are milliseconds.",
    ));
    OpenApiBuilder::new().info(info.build()).build()
}

/// Completes the document: common errors, live messages, and required fields of responses.
pub(crate) fn completed(document: OpenApi) -> OpenApi {
    with_required_fields(with_live_messages(with_common_errors(document)))
}

/// Marks all fields of responses as required: a field without a value is sent as null.
fn with_required_fields(mut document: OpenApi) -> OpenApi {
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
    add_schema::<ErrorResponse>(components);
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete, &mut item.patch];
        operations.into_iter().flatten().for_each(add_errors);
    }
    document
}

/// Adds the messages of the WebSocket, which no request or response body refers to.
fn with_live_messages(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_default();
    add_schema::<ChannelMessage>(components);
    add_schema::<ControlMessage>(components);
    add_schema::<ClientCommand>(components);
    document
}

fn add_schema<T: ToSchema>(components: &mut Components) {
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    components.schemas.extend(schemas);
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
