/** How long to wait before the next attempt to connect. Pure. */

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/**
 * Doubles with each attempt in a row, up to a limit. Half of it is left to `chance` (from 0 to 1), so that the pages
 * of a whole team do not come back to a restarted server in the same moment.
 */
export function retryDelayMs(attempt: number, chance: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return whole / 2 + (whole / 2) * chance;
}
