/**
 * Links into a session page: the fragments `#stage-…` and `#event-…`, and the parameters `?stage=` and
 * `?event=` of the Go version of TARSy. Pure.
 */
import type { TimelineSection } from './sections';

export type Anchor = { kind: 'stage'; id: string } | { kind: 'event'; id: string };

export const stageAnchor = (stageId: string): string => `stage-${stageId}`;
export const eventAnchor = (eventId: string): string => `event-${eventId}`;

export function readAnchor(hash: string): Anchor | null {
  const [, kind, id] = /^#?(stage|event)-(.+)$/.exec(hash) ?? [];
  return (kind === 'stage' || kind === 'event') && id !== undefined ? { kind, id } : null;
}

/** Where a link leads. */
export interface LinkTarget {
  anchor: Anchor;
  /** The stage to show if the entry does not exist. */
  otherwise: Anchor | null;
}

/** Returns the target of a link. A fragment is newer than parameters: a click on the page sets it. */
export function linkTarget(hash: string, search: { stage?: string; event?: string }): LinkTarget | null {
  const fragment = readAnchor(hash);
  if (fragment) return { anchor: fragment, otherwise: null };
  const stage: Anchor | null = search.stage === undefined ? null : { kind: 'stage', id: search.stage };
  if (search.event !== undefined) return { anchor: { kind: 'event', id: search.event }, otherwise: stage };
  return stage && { anchor: stage, otherwise: null };
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

/** Says that a loaded timeline does not contain the target of a link; null if it does. */
export function missingNote(
  target: LinkTarget,
  sections: readonly TimelineSection[],
  isLive: boolean,
): string | null {
  if (positionOf(target.anchor, sections)) return null;
  const what = target.anchor.kind === 'event' ? 'entry' : 'stage';
  const note = `The linked ${what} is not in this timeline${isLive ? ' yet' : ''}.`;
  const isStageShown = target.otherwise !== null && positionOf(target.otherwise, sections) !== null;
  return isStageShown ? `${note} Its stage is shown instead.` : note;
}
