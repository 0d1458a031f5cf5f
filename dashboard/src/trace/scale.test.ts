import { describe, expect, it } from 'vitest';
import { timeScale } from './scale';

describe('the line of time', () => {
  it('goes from the first call to the end of the last', () => {
    const { place, hasShortPauses, busyMs } = timeScale([
      { fromMs: 1_000, toMs: 3_000 },
      { fromMs: 2_000, toMs: 5_000 },
    ]);
    expect([place(1_000), place(3_000), place(5_000)]).toEqual([0, 0.5, 1]);
    expect({ hasShortPauses, busyMs }).toEqual({ hasShortPauses: false, busyMs: 4_000 });
  });

  it('draws long pauses short', () => {
    const { place, hasShortPauses } = timeScale([
      { fromMs: 0, toMs: 50_000 },
      { fromMs: 86_400_000, toMs: 86_450_000 },
    ]);
    expect(hasShortPauses).toBe(true);
    expect(place(50_000)).toBeCloseTo(0.485, 2);
    expect(place(86_400_000)).toBeCloseTo(0.515, 2);
    expect(place(86_450_000)).toBe(1);
  });

  it('takes calls that took no time, and none at all', () => {
    expect(timeScale([{ fromMs: 5, toMs: 5 }]).place(5)).toBe(0);
    expect(timeScale([]).busyMs).toBe(0);
  });
});
