/** Text search in the timeline, including other tabs and collapsed rows. Pure. */
import type { EntryRow } from './row';
import type { TimelineSection } from './sections';

export interface TimelineMatch {
  /** The key of the row. */
  row: string;
  section: string;
  executionId: string | null;
}

/** Shorter queries match nearly everything. */
const MIN_QUERY_LENGTH = 2;

export function matchesIn(sections: readonly TimelineSection[], query: string): TimelineMatch[] {
  const needle = normalized(query.trim());
  if (needle.length < MIN_QUERY_LENGTH) return [];
  return sections.flatMap((section) =>
    section.rows
      .filter((row) => textsOf(row).some((text) => normalized(text).includes(needle)))
      .map((row) => ({ row: row.key, section: section.key, executionId: row.executionId })),
  );
}

export function textsOf(row: EntryRow): string[] {
  switch (row.kind) {
    case 'thought':
    case 'note':
      return [row.text];
    case 'prose':
      return [row.text, ...row.sources.flatMap(({ title, uri }) => [title, uri])];
    case 'tool':
      return [`${row.server}.${row.tool}`, row.arguments, row.result ?? ''];
  }
}

/** Returns the offset of the first match, or null. */
export function offsetIn(text: string, query: string): number | null {
  const needle = normalized(query.trim());
  if (needle.length < MIN_QUERY_LENGTH) return null;
  const offset = normalized(text).indexOf(needle);
  return offset === -1 ? null : offset;
}

const normalized = (text: string): string => text.toLowerCase();

/** Returns the index of the next or previous match, with wrap-around. */
export function nextMatch(current: number | null, count: number, step: 1 | -1): number | null {
  if (count === 0) return null;
  if (current === null) return step === 1 ? 0 : count - 1;
  return (current + step + count) % count;
}

/** Returns `3 of 17`, or a text if no match is selected. */
export function countText(query: string, current: number | null, count: number): string {
  if (query.trim().length < MIN_QUERY_LENGTH) return '';
  if (count === 0) return 'No matches';
  return current === null ? `${count} ${count === 1 ? 'match' : 'matches'}` : `${current + 1} of ${count}`;
}
