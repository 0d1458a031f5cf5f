/** The parts of the timeline as one list of lines, with what is being written at the end of its part. Pure. */
import type { LiveText, LiveTexts } from '../../live/texts';
import type { EntryRow, LiveRow, Row, SectionRow } from './row';
import type { Section } from './sections';

/** Which tab is open in which section; the others follow what is going on. */
export type OpenTabs = ReadonlyMap<string, string>;

export function rowsOf(sections: readonly Section[], openTabs: OpenTabs, texts: LiveTexts): Row[] {
  const live = [...texts.values()];
  return sections.flatMap((section) => sectionRows(section, openTabs, live));
}

function sectionRows(section: Section, openTabs: OpenTabs, live: readonly LiveText[]): Row[] {
  const open = openTab(section, openTabs);
  const isShown = (executionId: string | null) =>
    open === null || executionId === null || executionId === open;
  const texts = live.filter((text) => isOf(section, text) && isShown(text.executionId));
  const rows = section.rows.filter((row) => isShown(row.executionId));
  return [heading(section, open), ...withProgress(rows, texts), ...texts.flatMap(liveRow)];
}

const heading = ({ key, title, stage, tabs }: Section, open: string | null): SectionRow => ({
  kind: 'section',
  key: `section-${key}`,
  title,
  stage,
  tabs,
  open,
});

/** The one that the reader chose, or who works, or who came first; none where there is nothing to choose. */
export function openTab({ key, tabs }: Section, openTabs: OpenTabs): string | null {
  if (tabs.length < 2) return null;
  const chosen = tabs.find((tab) => tab.executionId === openTabs.get(key));
  const working = tabs.find((tab) => tab.look.tone === 'active');
  return (chosen ?? working ?? tabs[0])?.executionId ?? null;
}

const isOf = ({ stage, tabs }: Section, text: LiveText): boolean =>
  text.stageId === null
    ? tabs.some((tab) => tab.executionId === text.executionId)
    : stage?.stageId === text.stageId;

function liveRow({ part, interactionId, text, isCut }: LiveText): LiveRow[] {
  if (part === 'tool_progress') return [];
  return [{ kind: 'live', key: `live-${interactionId}-${part}`, part, text, isCut }];
}

/**
 * What tools say about how far they are stands with the calls that wait for an answer. Which of several calls of an agent it
 * is about is not told; they are answered in order.
 */
export function withProgress(rows: readonly EntryRow[], texts: readonly LiveText[]): readonly EntryRow[] {
  const said = texts.filter((text) => text.part === 'tool_progress');
  if (said.length === 0) return rows;
  const left = [...said];
  return rows.map((row) => {
    if (row.kind !== 'tool' || row.result !== null || row.look.tone !== 'active') return row;
    const index = left.findIndex((text) => text.executionId === row.executionId);
    const [found] = index === -1 ? [] : left.splice(index, 1);
    return found ? { ...row, progress: found.text } : row;
  });
}
