//! Prints lines to stderr and, on a terminal, the current activity below them.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use anyhow::Context;
use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tarsy_domain::ExecutionId;

use super::line::{ColorMode, WatchLine};
use super::state::WatchState;
use crate::terminal::single_line_tail;

/// The interval of the spinner animation.
const TICK: Duration = Duration::from_millis(120);
/// The width of a line besides the agent's name and text.
const LINE_OVERHEAD: usize = 6;

/// The output of a watched session.
pub(super) struct WatchScreen {
    colors: ColorMode,
    live: Option<LiveLines>,
}

/// Lines that show the current activity and are updated in place.
struct LiveLines {
    lines: MultiProgress,
    stage: Option<ProgressBar>,
    agents: BTreeMap<ExecutionId, ProgressBar>,
}

impl WatchScreen {
    /// Detects whether stderr is a terminal. Only a terminal has live lines.
    pub(super) fn new() -> Self {
        let terminal = Term::stderr();
        let colors = if console::colors_enabled_stderr() { ColorMode::Colored } else { ColorMode::Plain };
        let live = || LiveLines { lines: MultiProgress::new(), stage: None, agents: BTreeMap::new() };
        Self { colors, live: terminal.is_term().then(live) }
    }

    /// Prints a permanent line.
    pub(super) fn print(&self, line: &WatchLine) -> anyhow::Result<()> {
        let text = line.render(self.colors);
        match &self.live {
            Some(_) if matches!(line, WatchLine::Waiting { .. }) => Ok(()),
            Some(live) => live.lines.println(text),
            None => writeln!(std::io::stderr(), "{text}"),
        }
        .context("writing to stderr")
    }

    /// Updates the live lines.
    pub(super) fn show_activity(&mut self, state: &WatchState) {
        if let Some(live) = &mut self.live {
            live.show_agents(state);
            live.show_stage(state.progress());
        }
    }
}

impl LiveLines {
    fn show_agents(&mut self, state: &WatchState) {
        let active: Vec<ExecutionId> = state.active_agents().map(|agent| agent.execution_id).collect();
        self.agents.retain(|id, bar| {
            let is_active = active.contains(id);
            if !is_active {
                bar.finish_and_clear();
            }
            is_active
        });
        for agent in state.active_agents() {
            let lines = &self.lines;
            let bar = self.agents.entry(agent.execution_id).or_insert_with(|| {
                let bar = lines.insert(0, spinner("  {spinner:.cyan} {prefix:.bold} {msg:.dim}"));
                bar.set_prefix(single_line_tail(agent.name, usize::MAX));
                bar
            });
            let width = usize::from(Term::stderr().size().1);
            let width = width.saturating_sub(console::measure_text_width(agent.name) + LINE_OVERHEAD);
            bar.set_message(single_line_tail(agent.activity, width));
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

impl Drop for LiveLines {
    fn drop(&mut self) {
        // There is no way to report a failure to write to stderr.
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
