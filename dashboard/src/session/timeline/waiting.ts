/**
 * What a model call waits for, such as "Processing the prompt, 2 min". Pure. The server sends a new text every
 * 30 seconds; between them the browser counts on.
 */
import { elapsedText } from '../../format/duration';

export interface Waiting {
  activity: string;
  /** How long it lasts already; null if the text contains no duration. */
  elapsedMs: number | null;
}

const UNIT_MS = { h: 3_600_000, min: 60_000, s: 1_000 } as const;

export function readWaiting(text: string): Waiting {
  const [, activity, duration] = /^(.*), ((?:\d+ (?:h|min|s) ?)+)$/s.exec(text) ?? [];
  if (activity === undefined || duration === undefined) return { activity: text, elapsedMs: null };
  const parts = [...duration.matchAll(/(\d+) (h|min|s)/g)];
  const elapsedMs = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
    0,
  );
  return { activity, elapsedMs };
}

/** Returns the text with a running clock. `startMs` is when the waiting began. */
export function waitingText({ activity, elapsedMs }: Waiting, startMs: number, nowMs: number): string {
  return elapsedMs === null ? activity : `${activity}, ${elapsedText(nowMs - startMs)}`;
}
