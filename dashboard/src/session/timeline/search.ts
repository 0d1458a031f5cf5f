/** Finding words in the timeline, also in what another tab or a closed box hides. Pure. */
import type { EntryRow } from './row';
import type { Section } from './sections';

export interface Match {
  /** The row's key. */
  row: string;
  section: string;
  executionId: string | null;
}

/** Below this length nearly everything matches. */
const SHORTEST = 2;

export function matchesIn(sections: readonly Section[], query: string): Match[] {
  const words = normalized(query.trim());
  if (words.length < SHORTEST) return [];
  return sections.flatMap((section) =>
    section.rows
      .filter((row) => textsOf(row).some((text) => normalized(text).includes(words)))
      .map((row) => ({ row: row.key, section: section.key, executionId: row.executionId })),
  );
}

export function textsOf(row: EntryRow): string[] {
  switch (row.kind) {
    case 'thought':
    case 'prose':
    case 'note':
      return [row.text];
    case 'tool':
      return [`${row.server}.${row.tool}`, row.arguments, row.result ?? ''];
  }
}

/** Where a text matches first; null if it does not. */
export function offsetIn(text: string, query: string): number | null {
  const words = normalized(query.trim());
  if (words.length < SHORTEST) return null;
  const offset = normalized(text).indexOf(words);
  return offset === -1 ? null : offset;
}

const normalized = (text: string): string => text.toLowerCase();

/** The next place of `count`, or the one before it, around the ends. */
export function stepped(place: number | null, count: number, step: 1 | -1): number | null {
  if (count === 0) return null;
  if (place === null) return step === 1 ? 0 : count - 1;
  return (place + step + count) % count;
}

/** `3 of 17`, and words where there is no number to say. */
export function countText(query: string, place: number | null, count: number): string {
  if (query.trim().length < SHORTEST) return '';
  if (count === 0) return 'Nothing found';
  return place === null ? `${count} found` : `${place + 1} of ${count}`;
}
