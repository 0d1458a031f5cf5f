/**
 * The time axis of the waterfall. Gaps of more than a minute without calls are shortened: a chat question may
 * come a day after the analysis. Pure.
 */

export interface TimeSpan {
  fromMs: number;
  toMs: number;
}

export interface TimeScale {
  /** Returns the position of a time on the axis, from 0 to 1. */
  position: (ms: number) => number;
  hasShortenedGaps: boolean;
  /** Total time without the shortened gaps. */
  busyMs: number;
}

const MAX_GAP_MS = 60_000;
/** Length of a shortened gap, relative to the busy time. */
const GAP_SHARE = 0.03;

export function timeScale(spans: readonly TimeSpan[]): TimeScale {
  const periods = busyPeriods(spans);
  const busyMs = periods.reduce((sum, period) => sum + period.toMs - period.fromMs, 0);
  const gapMs = Math.max(1, busyMs * GAP_SHARE);
  const totalMs = Math.max(1, busyMs + gapMs * Math.max(0, periods.length - 1));
  return {
    hasShortenedGaps: periods.length > 1,
    busyMs,
    position: (ms) => {
      let passedMs = 0;
      for (const { fromMs, toMs } of periods) {
        if (ms <= toMs) return (passedMs + Math.max(0, ms - fromMs)) / totalMs;
        passedMs += toMs - fromMs + gapMs;
      }
      return 1;
    },
  };
}

/** Merges calls that follow each other without a long gap. */
function busyPeriods(spans: readonly TimeSpan[]): TimeSpan[] {
  const periods: TimeSpan[] = [];
  for (const span of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = periods.at(-1);
    if (last && span.fromMs - last.toMs <= MAX_GAP_MS) last.toMs = Math.max(last.toMs, span.toMs);
    else periods.push({ ...span });
  }
  return periods;
}
