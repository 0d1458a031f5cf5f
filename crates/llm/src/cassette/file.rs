//! The file format, and what it means in chunks.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::{CodeExecution, Grounding, ModelFailureKind, TokenUsage, ToolCall};

use super::error::CassetteError;
use super::question::CassetteQuestion;
use crate::{Chunk, ModelError, Tags};

const VERSION: u32 = 1;

/// Recorded replies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cassette {
    /// The version of the format.
    pub cassette: u32,
    /// What is on it, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How fast text is written at the recorded pace; at once without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters_per_second: Option<u32>,
    /// The turns of each agent.
    pub agents: BTreeMap<String, Vec<CassetteTurn>>,
    /// What is answered in a chat, by the words of the question. The first that fits answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<CassetteQuestion>,
    /// The session that it was recorded from. Whoever plays it has no use for it; `tarsy replay` runs it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Value>,
}

/// One call: what came, and how it failed if it did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CassetteTurn {
    /// The parts of the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<CassetteChunk>,
    /// The failure that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CassetteFailure>,
}

/// One part of a reply. Exactly one thing is in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CassetteChunk {
    /// More text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// More reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// A tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<CassetteCall>,
    /// Code that the vendor ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_execution: Option<CodeExecution>,
    /// Sources on the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounding: Option<Grounding>,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<CassetteUsage>,
    /// The provider's opaque state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// How long it takes to come, at the recorded pace.
    #[serde(skip_serializing_if = "is_zero")]
    pub after_ms: u64,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CassetteCall {
    /// Its id; made from its place without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool, `server.tool`.
    pub name: String,
    /// The arguments: a mapping, or a text that is taken as it is.
    #[serde(default)]
    pub arguments: Value,
}

/// Tokens; what is not said is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CassetteUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Of those, for thinking.
    #[serde(skip_serializing_if = "is_zero")]
    pub thinking_tokens: u64,
    /// Of those read, from the cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
}

/// A failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CassetteFailure {
    /// Its kind.
    pub kind: ModelFailureKind,
    /// What happened.
    pub message: String,
    /// How long it takes to come, at the recorded pace.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_ms: u64,
}

impl Cassette {
    /// An empty cassette.
    pub fn new() -> Self {
        Self { cassette: VERSION, ..Self::default() }
    }

    /// Reads a cassette from a file.
    pub fn load(path: &Path) -> Result<Self, CassetteError> {
        let text = fs::read_to_string(path).map_err(|source| file_error(path, source))?;
        Self::parse(&text)
            .map_err(|problem| CassetteError::Format { path: path.display().to_string(), problem })
    }

    /// Reads a cassette; the error says what is wrong and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let cassette = read(text)?;
        if cassette.cassette != VERSION {
            return Err(format!("version {} is not known; this is version {VERSION}", cassette.cassette));
        }
        for (agent, turns) in &cassette.agents {
            check_turns(turns, agent)?;
        }
        for (number, question) in (1..).zip(&cassette.questions) {
            check_turns(&question.turns, &format!("question {number}"))?;
        }
        Ok(cassette)
    }

    /// The same without any pause, for whoever has no time to watch.
    #[must_use]
    pub fn without_pauses(mut self) -> Self {
        self.characters_per_second = None;
        let of_questions = self.questions.iter_mut().map(|question| &mut question.turns);
        for turn in self.agents.values_mut().chain(of_questions).flatten() {
            turn.chunks.iter_mut().for_each(|chunk| chunk.after_ms = 0);
            turn.error.iter_mut().for_each(|failure| failure.after_ms = 0);
        }
        self
    }

    /// Writes a cassette to a file, all or nothing.
    pub fn save(&self, path: &Path) -> Result<(), CassetteError> {
        let text =
            serde_saphyr::to_string(self).map_err(|error| file_error(path, io::Error::other(error)))?;
        let unfinished = path.with_extension("unfinished");
        fs::write(&unfinished, text)
            .and_then(|()| fs::rename(&unfinished, path))
            .map_err(|source| file_error(path, source))
    }

    /// The turn that answers a call, or why there is none.
    pub(crate) fn turn(&self, tags: &Tags) -> Result<&CassetteTurn, String> {
        let place = format!("{}/{}", tags.stage, tags.agent);
        let Some(turns) = self.turns(&place, tags) else {
            let known: Vec<&str> = self.agents.keys().map(String::as_str).collect();
            return Err(format!("it has nothing for {place}, only for: {}", known.join(", ")));
        };
        let index = usize::try_from(tags.turn).unwrap_or(usize::MAX).saturating_sub(1);
        turns.get(index).ok_or_else(|| {
            format!("it has {} turns for {place}, and turn {} was asked for", turns.len(), tags.turn)
        })
    }

    fn turns(&self, place: &str, tags: &Tags) -> Option<&Vec<CassetteTurn>> {
        let asked = tags.question.as_deref();
        let answer = asked.and_then(|asked| self.questions.iter().find(|question| question.fits(asked)));
        let of_agent = || [place, &tags.agent, "*"].into_iter().find_map(|name| self.agents.get(name));
        answer.map(|question| &question.turns).or_else(of_agent)
    }
}

/// An exported session is JSON and may be large. As JSON it is read fast and without the limits of a reader of YAML.
fn read(text: &str) -> Result<Cassette, String> {
    let json = text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten();
    json.map_or_else(|| serde_saphyr::from_str(text).map_err(|error| error.to_string()), Ok)
}

fn check_turns(turns: &[CassetteTurn], of: &str) -> Result<(), String> {
    (1..).zip(turns).try_for_each(|(number, turn): (u32, _)| {
        turn.check().map_err(|problem| format!("turn {number} of {of}: {problem}"))
    })
}

impl CassetteTurn {
    fn check(&self) -> Result<(), String> {
        if self.chunks.is_empty() && self.error.is_none() {
            return Err("it has neither `chunks` nor `error`".to_owned());
        }
        let wrong = (1..).zip(&self.chunks).find(|(_, chunk)| chunk.contents() != 1);
        wrong.map_or(Ok(()), |(number, chunk)| {
            Err(format!(
                "chunk {number} has {} of text, thinking, tool_call, code_execution, grounding, usage and state; it must have one",
                chunk.contents()
            ))
        })
    }
}

impl CassetteChunk {
    fn contents(&self) -> usize {
        [
            self.text.is_some(),
            self.thinking.is_some(),
            self.tool_call.is_some(),
            self.code_execution.is_some(),
            self.grounding.is_some(),
            self.usage.is_some(),
            self.state.is_some(),
        ]
        .into_iter()
        .filter(|there| *there)
        .count()
    }

    /// What is on the cassette of a chunk; nothing of who answered.
    pub(crate) fn of(chunk: &Chunk) -> Option<Self> {
        let empty = Self::default();
        Some(match chunk {
            Chunk::From(_) | Chunk::Fallback { .. } => return None,
            Chunk::Text(text) => Self { text: Some(text.clone()), ..empty },
            Chunk::Thinking(thinking) => Self { thinking: Some(thinking.clone()), ..empty },
            Chunk::ToolCall(call) => Self { tool_call: Some(CassetteCall::of(call)), ..empty },
            Chunk::CodeExecution(execution) => Self { code_execution: Some(execution.clone()), ..empty },
            Chunk::Grounding(grounding) => Self { grounding: Some(grounding.clone()), ..empty },
            Chunk::Usage(usage) => Self { usage: Some(CassetteUsage::of(*usage)), ..empty },
            Chunk::State(state) => Self { state: Some(state.clone()), ..empty },
        })
    }

    /// The chunk it stands for; `place` makes ids for calls that have none.
    pub(crate) fn chunk(&self, place: &str) -> Option<Chunk> {
        let text = self.text.clone().map(Chunk::Text);
        text.or_else(|| self.thinking.clone().map(Chunk::Thinking))
            .or_else(|| self.tool_call.as_ref().map(|call| Chunk::ToolCall(call.call(place))))
            .or_else(|| self.code_execution.clone().map(Chunk::CodeExecution))
            .or_else(|| self.grounding.clone().map(Chunk::Grounding))
            .or_else(|| self.usage.map(|usage| Chunk::Usage(usage.usage())))
            .or_else(|| self.state.clone().map(Chunk::State))
    }
}

impl CassetteCall {
    /// Arguments that are written as we would write them become a mapping, which is easier to read and edit.
    fn of(call: &ToolCall) -> Self {
        let mapping = serde_json::from_str::<Value>(&call.arguments).ok();
        let mapping = mapping.filter(|mapping| {
            let ours = mapping.to_string();
            mapping.is_object() && ours == call.arguments
        });
        let arguments = mapping.unwrap_or_else(|| Value::String(call.arguments.clone()));
        Self { id: Some(call.id.clone()), name: call.name.clone(), arguments }
    }

    fn call(&self, place: &str) -> ToolCall {
        let arguments = match &self.arguments {
            Value::Null => "{}".to_owned(),
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.arguments.to_string()
            }
        };
        let id = self.id.clone().unwrap_or_else(|| format!("call-{place}"));
        ToolCall { id, name: self.name.clone(), arguments }
    }
}

impl CassetteUsage {
    fn of(usage: TokenUsage) -> Self {
        let TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens } = usage;
        Self { input_tokens, output_tokens, thinking_tokens, cached_tokens }
    }

    fn usage(self) -> TokenUsage {
        let Self { input_tokens, output_tokens, thinking_tokens, cached_tokens } = self;
        TokenUsage { input_tokens, output_tokens, thinking_tokens, cached_tokens }
    }
}

impl CassetteFailure {
    /// What stands in place of a call that was given up.
    pub(crate) fn not_recorded() -> Self {
        let message = "this call was given up while it was recorded".to_owned();
        Self { kind: ModelFailureKind::Network, message, after_ms: 0 }
    }

    pub(crate) fn of(error: &ModelError) -> Self {
        Self { kind: error.failure.kind, message: error.failure.message.clone(), after_ms: 0 }
    }
}

fn file_error(path: &Path, source: io::Error) -> CassetteError {
    CassetteError::File { path: path.display().to_string(), source }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde wants")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
