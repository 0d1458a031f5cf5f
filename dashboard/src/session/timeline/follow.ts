/**
 * Decides whether the page follows the live end: until the user scrolls up, and again once they reach the
 * end. Pure.
 */

export interface ScrollMove {
  /** Scroll offsets of the page before and after the move, in pixels. */
  before: number;
  now: number;
  /** Distance to the end of the list in pixels; negative if the page is scrolled past it. */
  toEnd: number;
  /** Whether user input caused the move. */
  byUser: boolean;
}

/** A user who scrolls down usually stops near the end, not exactly at it. */
const NEAR_END_PX = 60;
/** Scroll offsets are fractional on some screens. */
const AT_END_PX = 2;

/** The page also moves when rows above turn out shorter than estimated; only user input stops following. */
export function shouldFollow(follows: boolean, { before, now, toEnd, byUser }: ScrollMove): boolean {
  if (toEnd <= AT_END_PX) return true;
  if (!byUser) return follows;
  // Even the smallest move up counts; otherwise the user could not scroll away from a growing text.
  if (now < before) return false;
  return follows || toEnd <= NEAR_END_PX;
}
