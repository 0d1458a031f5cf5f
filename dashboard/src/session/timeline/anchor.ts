/** Fragment identifiers of a session page: `#stage-…` and `#event-…`. Pure. */
import type { TimelineSection } from './sections';

export type Anchor = { kind: 'stage'; id: string } | { kind: 'event'; id: string };

export const stageAnchor = (stageId: string): string => `stage-${stageId}`;
export const eventAnchor = (eventId: string): string => `event-${eventId}`;

export function readAnchor(hash: string): Anchor | null {
  const [, kind, id] = /^#?(stage|event)-(.+)$/.exec(hash) ?? [];
  return (kind === 'stage' || kind === 'event') && id !== undefined ? { kind, id } : null;
}

/** A row of the timeline, with the section and the tab that contain it. */
export interface TimelinePosition {
  row: string;
  section: string;
  executionId: string | null;
}

export function positionOf(anchor: Anchor, sections: readonly TimelineSection[]): TimelinePosition | null {
  for (const section of sections) {
    if (anchor.kind === 'stage') {
      if (section.key === anchor.id)
        return { row: `section-${section.key}`, section: section.key, executionId: null };
      continue;
    }
    const row = section.rows.find((candidate) => candidate.eventIds.includes(anchor.id));
    if (row) return { row: row.key, section: section.key, executionId: row.executionId };
  }
  return null;
}
