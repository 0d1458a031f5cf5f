//! OpenAI's two wire formats over real HTTP: requests, decoding of responses, and what is sent back.

mod client;
mod recorded;

mod chat_recorded;
mod chat_replies;
mod chat_requests;
mod chat_turns;
mod failures;
mod responses_recorded;
mod responses_replies;
mod responses_requests;
mod responses_turns;
