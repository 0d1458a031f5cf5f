//! Recursive-descent parser for conditions, with one method per production.
//!
//! ```text
//! condition = either end
//! either    = both { ("or" | "||") both }
//! both      = single { ("and" | "&&") single }
//! single    = ("not" | "!") single | "(" either ")" | fact operator string
//! ```
//! It does not evaluate anything.

use super::{Condition, ConditionError, Fact, Operator, check_value};

const MAX_DEPTH: usize = 32;
const FACTS: &str =
    "expected `stages.<name>.status`, `stages.<name>.analysis`, `alert.<field>`, `severity` or `environment`";

pub(super) struct Parser<'text> {
    text: &'text str,
    position: usize,
    depth: usize,
}

impl<'text> Parser<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self { text, position: 0, depth: 0 }
    }

    pub(super) fn condition(mut self) -> Result<Condition, ConditionError> {
        if self.peek().is_empty() {
            return Err(self.error(format!("the condition is empty, {FACTS}")));
        }
        let condition = self.either()?;
        match self.peek() {
            "" => Ok(condition),
            token => Err(self.error(format!("found `{token}`, expected `and`, `or` or the end"))),
        }
    }

    fn either(&mut self) -> Result<Condition, ConditionError> {
        let mut left = self.both()?;
        while self.accept(&["or", "||"]) {
            left = Condition::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Condition, ConditionError> {
        let mut left = self.single()?;
        while self.accept(&["and", "&&"]) {
            left = Condition::And(Box::new(left), Box::new(self.single()?));
        }
        Ok(left)
    }

    fn single(&mut self) -> Result<Condition, ConditionError> {
        if self.accept(&["not", "!"]) {
            return self.nested(Self::single).map(|inner| Condition::Not(Box::new(inner)));
        }
        if self.accept(&["("]) {
            let inner = self.nested(Self::either)?;
            return if self.accept(&[")"]) { Ok(inner) } else { Err(self.unexpected("`)`")) };
        }
        let fact = self.fact()?;
        let operator = self.operator()?;
        self.skip_whitespace();
        let value_offset = self.position;
        let value = self.quoted()?;
        check_value(&fact, operator, &value, value_offset)?;
        Ok(Condition::Comparison { fact, operator, value })
    }

    /// Parses a nested expression. The depth limit prevents stack overflow on hostile input.
    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<Condition, ConditionError>,
    ) -> Result<Condition, ConditionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("the condition is nested more than {MAX_DEPTH} levels deep")));
        }
        let inner = read(self)?;
        self.depth -= 1;
        Ok(inner)
    }

    fn fact(&mut self) -> Result<Fact, ConditionError> {
        match self.peek() {
            "stages" => {
                self.accept(&["stages"]);
                self.stage_fact()
            }
            "alert" => {
                self.accept(&["alert"]);
                self.path().map(Fact::AlertField)
            }
            "environment" => {
                self.accept(&["environment"]);
                Ok(Fact::Environment)
            }
            "severity" => {
                self.accept(&["severity"]);
                Ok(Fact::Severity)
            }
            "" => Err(self.error(format!("found the end, {FACTS}"))),
            token => Err(self.error(format!("`{token}` is unknown, {FACTS}"))),
        }
    }

    fn stage_fact(&mut self) -> Result<Fact, ConditionError> {
        let name = self.segment()?;
        let before = self.position;
        match self.segment()?.as_str() {
            "status" => Ok(Fact::StageStatus(name)),
            "analysis" => Ok(Fact::StageAnalysis(name)),
            other => Err(ConditionError {
                offset: before + 1,
                message: format!("a stage has no `{other}`, expected `status` or `analysis`"),
            }),
        }
    }

    fn path(&mut self) -> Result<Vec<String>, ConditionError> {
        let mut path = vec![self.segment()?];
        while matches!(self.peek(), "." | "[") {
            path.push(self.segment()?);
        }
        Ok(path)
    }

    /// Parses `.name` or `["any name"]`.
    fn segment(&mut self) -> Result<String, ConditionError> {
        if self.accept(&["["]) {
            self.skip_whitespace();
            let name = self.quoted()?;
            return if self.accept(&["]"]) { Ok(name) } else { Err(self.unexpected("`]`")) };
        }
        if !self.accept(&["."]) {
            return Err(self.unexpected("`.` and a name, or `[\"name\"]`"));
        }
        match self.peek() {
            token if token.starts_with(is_name) => {
                self.position += token.len();
                Ok(token.to_owned())
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn operator(&mut self) -> Result<Operator, ConditionError> {
        let operators =
            [("==", Operator::Equals), ("!=", Operator::Differs), ("contains", Operator::Contains)];
        match operators.into_iter().find(|(token, _)| self.accept(&[token])) {
            Some((_, operator)) => Ok(operator),
            None => Err(self.unexpected("`==`, `!=` or `contains`")),
        }
    }

    /// Parses a string in single or double quotes; a backslash escapes the next character.
    fn quoted(&mut self) -> Result<String, ConditionError> {
        let Some(quote) = self.text[self.position..].chars().next().filter(|c| matches!(c, '"' | '\''))
        else {
            return Err(self.unexpected("a quoted string"));
        };
        let mut value = String::new();
        let mut chars = self.text[self.position..].char_indices().skip(1);
        while let Some((index, char)) = chars.next() {
            match char {
                '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
                _ if char == quote => {
                    self.position += index + 1;
                    return Ok(value);
                }
                _ => value.push(char),
            }
        }
        Err(self.error("the string that starts here has no closing quote".to_owned()))
    }

    /// Returns the next token without consuming it; empty at the end of the text.
    fn peek(&mut self) -> &'text str {
        self.skip_whitespace();
        let rest = &self.text[self.position..];
        let length = match rest.chars().next() {
            None => 0,
            Some(first) if is_name(first) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            Some(_) if ["==", "!=", "&&", "||"].iter().any(|token| rest.starts_with(token)) => 2,
            Some(first) => first.len_utf8(),
        };
        &rest[..length]
    }

    fn accept(&mut self, tokens: &[&str]) -> bool {
        let token = self.peek();
        let accepted = tokens.contains(&token);
        if accepted {
            self.position += token.len();
        }
        accepted
    }

    fn skip_whitespace(&mut self) {
        let rest = &self.text[self.position..];
        self.position += rest.len() - rest.trim_start().len();
    }

    fn unexpected(&mut self, expected: &str) -> ConditionError {
        match self.peek() {
            "" => self.error(format!("found the end, expected {expected}")),
            token => self.error(format!("found `{token}`, expected {expected}")),
        }
    }

    fn error(&self, message: String) -> ConditionError {
        ConditionError { offset: self.position, message }
    }
}

fn is_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-')
}
