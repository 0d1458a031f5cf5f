//! Where an investigation is shown: lines on stderr and, on a terminal, what goes on right now below them.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use anyhow::Context;
use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tarsy_domain::ExecutionId;

use super::line::{Line, Look};
use super::narration::Narration;
use crate::terminal::tail_of;

/// How often a line shows that it is alive.
const TICK: Duration = Duration::from_millis(120);
/// What a line of an agent needs beside its name and text.
const SURROUNDINGS: usize = 6;

/// Where an investigation is shown.
pub(super) struct Screen {
    look: Look,
    now: Option<Now>,
}

/// What goes on right now, in lines that change.
struct Now {
    lines: MultiProgress,
    stage: Option<ProgressBar>,
    agents: BTreeMap<ExecutionId, ProgressBar>,
}

impl Screen {
    /// A terminal has colours and lines that change; a file has neither.
    pub(super) fn new() -> Self {
        let terminal = Term::stderr();
        let look = if console::colors_enabled_stderr() { Look::Coloured } else { Look::Plain };
        let lines = || Now { lines: MultiProgress::new(), stage: None, agents: BTreeMap::new() };
        Self { look, now: terminal.is_term().then(lines) }
    }

    /// Shows a line that stays.
    pub(super) fn print(&self, line: &Line) -> anyhow::Result<()> {
        let text = line.render(self.look);
        match &self.now {
            Some(now) => now.lines.println(text),
            None => writeln!(std::io::stderr(), "{text}"),
        }
        .context("writing to stderr")
    }

    /// Shows what goes on right now.
    pub(super) fn show_work(&mut self, narration: &Narration) {
        if let Some(now) = &mut self.now {
            now.show_agents(narration);
            now.show_stage(narration.progress());
        }
    }
}

impl Now {
    fn show_agents(&mut self, narration: &Narration) {
        let at_work: Vec<ExecutionId> = narration.at_work().map(|work| work.execution_id).collect();
        self.agents.retain(|id, bar| {
            let stays = at_work.contains(id);
            if !stays {
                bar.finish_and_clear();
            }
            stays
        });
        for work in narration.at_work() {
            let lines = &self.lines;
            let bar = self.agents.entry(work.execution_id).or_insert_with(|| {
                let bar = lines.insert(0, spinner("  {spinner:.cyan} {prefix:.bold} {msg:.dim}"));
                bar.set_prefix(tail_of(work.agent, usize::MAX));
                bar
            });
            let room = usize::from(Term::stderr().size().1);
            let room = room.saturating_sub(console::measure_text_width(work.agent) + SURROUNDINGS);
            bar.set_message(tail_of(work.doing, room));
        }
    }

    fn show_stage(&mut self, progress: Option<String>) {
        match (progress, &self.stage) {
            (Some(text), Some(bar)) => bar.set_message(text),
            (Some(text), None) => {
                let bar = self.lines.add(spinner("{spinner:.cyan} {wide_msg} {elapsed}"));
                bar.set_message(text);
                self.stage = Some(bar);
            }
            (None, Some(bar)) => {
                bar.finish_and_clear();
                self.stage = None;
            }
            (None, None) => {}
        }
    }
}

impl Drop for Now {
    fn drop(&mut self) {
        // Nobody is left to tell if stderr is gone.
        let _ = self.lines.clear();
    }
}

fn spinner(template: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    bar
}
