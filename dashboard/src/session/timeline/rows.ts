/**
 * Flattens the sections of the timeline into one list of rows, with streamed texts at the end of their
 * section. Pure.
 */
import type { LiveText, LiveTexts } from '../../live/texts';
import type { EntryRow, LiveRow, SectionRow, TimelineRow } from './row';
import type { TimelineSection } from './sections';

/** The tab that the user opened in each section; other sections show the active agent. */
export type OpenTabs = ReadonlyMap<string, string>;

export function rowsOf(
  sections: readonly TimelineSection[],
  openTabs: OpenTabs,
  texts: LiveTexts,
): TimelineRow[] {
  const live = [...texts.values()];
  return sections.flatMap((section) => sectionRows(section, openTabs, live));
}

function sectionRows(section: TimelineSection, openTabs: OpenTabs, live: readonly LiveText[]): TimelineRow[] {
  const open = openTab(section, openTabs);
  const isShown = (executionId: string | null) =>
    open === null || executionId === null || executionId === open;
  const texts = live.filter((text) => belongsTo(section, text) && isShown(text.executionId));
  const rows = section.rows.filter((row) => isShown(row.executionId));
  return [heading(section, open), ...withProgress(rows, texts), ...texts.flatMap(liveRow)];
}

const heading = ({ key, title, stage, tabs }: TimelineSection, open: string | null): SectionRow => ({
  kind: 'section',
  key: `section-${key}`,
  title,
  stage,
  tabs,
  open,
});

/** Returns the tab that the user chose, else the active one, else the first; null if there is only one. */
export function openTab({ key, tabs }: TimelineSection, openTabs: OpenTabs): string | null {
  if (tabs.length < 2) return null;
  const chosen = tabs.find((tab) => tab.executionId === openTabs.get(key));
  const working = tabs.find((tab) => tab.look.tone === 'active');
  return (chosen ?? working ?? tabs[0])?.executionId ?? null;
}

const belongsTo = ({ stage, tabs }: TimelineSection, text: LiveText): boolean =>
  text.stageId === null
    ? tabs.some((tab) => tab.executionId === text.executionId)
    : stage?.stageId === text.stageId;

function liveRow({ part, interactionId, text, isTruncated }: LiveText): LiveRow[] {
  if (part === 'tool_progress') return [];
  return [{ kind: 'live', key: `live-${interactionId}-${part}`, part, text, isTruncated }];
}

/**
 * Attaches progress texts of tools to calls without a result. A progress text does not name its call; calls
 * of an agent complete in order.
 */
export function withProgress(rows: readonly EntryRow[], texts: readonly LiveText[]): readonly EntryRow[] {
  const progressTexts = texts.filter((text) => text.part === 'tool_progress');
  if (progressTexts.length === 0) return rows;
  const remaining = [...progressTexts];
  return rows.map((row) => {
    if (row.kind !== 'tool' || row.result !== null || row.look.tone !== 'active') return row;
    const index = remaining.findIndex((text) => text.executionId === row.executionId);
    const [found] = index === -1 ? [] : remaining.splice(index, 1);
    return found ? { ...row, progress: found.text } : row;
  });
}
