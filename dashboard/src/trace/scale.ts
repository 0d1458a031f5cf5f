/**
 * Where moments stand on the line of a waterfall. Pauses in which nothing was called for more than a minute are drawn short:
 * a question in the chat may come a day after the analysis. Pure.
 */

export interface Span {
  fromMs: number;
  toMs: number;
}

export interface TimeScale {
  /** Where a moment stands, from 0 to 1. */
  place: (ms: number) => number;
  hasShortPauses: boolean;
  /** How long anything was going on. */
  busyMs: number;
}

const LONGEST_PAUSE_MS = 60_000;
/** A pause that is drawn short takes this part of everything else. */
const SHORT_PAUSE = 0.03;

export function timeScale(spans: readonly Span[]): TimeScale {
  const periods = busyPeriods(spans);
  const busyMs = periods.reduce((sum, period) => sum + period.toMs - period.fromMs, 0);
  const pauseMs = Math.max(1, busyMs * SHORT_PAUSE);
  const totalMs = Math.max(1, busyMs + pauseMs * Math.max(0, periods.length - 1));
  return {
    hasShortPauses: periods.length > 1,
    busyMs,
    place: (ms) => {
      let passedMs = 0;
      for (const { fromMs, toMs } of periods) {
        if (ms <= toMs) return (passedMs + Math.max(0, ms - fromMs)) / totalMs;
        passedMs += toMs - fromMs + pauseMs;
      }
      return 1;
    },
  };
}

/** Times in which calls follow each other without a long pause. */
function busyPeriods(spans: readonly Span[]): Span[] {
  const periods: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = periods.at(-1);
    if (last && span.fromMs - last.toMs <= LONGEST_PAUSE_MS) last.toMs = Math.max(last.toMs, span.toMs);
    else periods.push({ ...span });
  }
  return periods;
}
