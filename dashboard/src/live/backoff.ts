/** Delay before the next connection attempt. Pure. */

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/**
 * Doubles with each attempt, up to a limit. Half of the delay is random (`chance`, from 0 to 1), so that the
 * browsers of a team do not reconnect to a restarted server at the same moment.
 */
export function retryDelayMs(attempt: number, chance: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return whole / 2 + (whole / 2) * chance;
}
