/** Whether the page follows what happens: until the reader scrolls up, and again from the end on. Pure. */

export interface Scrolled {
  /** Where the page was, and is: pixels above the window. */
  before: number;
  now: number;
  /** How far the page would have to be scrolled down to show the end; less than 0 if it shows more than that. */
  toEnd: number;
  /** Whether the reader did something with which one scrolls. */
  byHand: boolean;
}

/** Whoever scrolls down comes so near to the end, and not exactly to it. */
const NEAR = 60;
/** Positions are not whole numbers on every screen. */
const SAME = 2;

/** The page also moves when what is above becomes shorter than it was thought to be; only a hand ends the following. */
export function followsAfter(follows: boolean, { before, now, toEnd, byHand }: Scrolled): boolean {
  if (toEnd <= SAME) return true;
  if (!byHand) return follows;
  // The smallest move counts, or one could never get away from a text that grows.
  if (now < before) return false;
  return follows || toEnd <= NEAR;
}
