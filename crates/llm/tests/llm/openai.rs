//! OpenAI's two wire formats, over real HTTP: what is sent, what comes of every kind of answer, and what goes back.

mod desk;
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
