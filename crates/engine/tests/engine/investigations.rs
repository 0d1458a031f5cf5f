//! Complete investigations, on both databases.

mod test_engine;
mod waits;

mod arguments;
mod cancellation;
mod chains;
mod chat;
mod handover;
mod limits;
mod live;
mod masking;
mod no_data;
mod results;
mod resume;
mod runbooks;
mod small_models;
mod stage_results;
mod stop_sequences;
