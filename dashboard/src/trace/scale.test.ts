import { describe, expect, it } from 'vitest';
import { timeScale } from './scale';

describe('time axis', () => {
  it('starts at the first call and ends with the last', () => {
    const { position, hasShortenedGaps, busyMs } = timeScale([
      { fromMs: 1_000, toMs: 3_000 },
      { fromMs: 2_000, toMs: 5_000 },
    ]);
    expect([position(1_000), position(3_000), position(5_000)]).toEqual([0, 0.5, 1]);
    expect({ hasShortenedGaps, busyMs }).toEqual({ hasShortenedGaps: false, busyMs: 4_000 });
  });

  it('shortens long gaps', () => {
    const { position, hasShortenedGaps } = timeScale([
      { fromMs: 0, toMs: 50_000 },
      { fromMs: 86_400_000, toMs: 86_450_000 },
    ]);
    expect(hasShortenedGaps).toBe(true);
    expect(position(50_000)).toBeCloseTo(0.485, 2);
    expect(position(86_400_000)).toBeCloseTo(0.515, 2);
    expect(position(86_450_000)).toBe(1);
  });

  it('accepts calls without duration and an empty list', () => {
    expect(timeScale([{ fromMs: 5, toMs: 5 }]).position(5)).toBe(0);
    expect(timeScale([]).busyMs).toBe(0);
  });
});
