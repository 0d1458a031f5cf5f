import { describe, expect, it } from 'vitest';
import { retryDelayMs } from './backoff';

describe('retry delay', () => {
  it.each([
    [0, 0, 250],
    [0, 1, 500],
    [1, 1, 1_000],
    [4, 0.5, 6_000],
    [9, 1, 15_000],
    [5_000, 1, 15_000],
  ])('after %i attempts, with chance %f, is %i ms', (attempt, chance, expected) => {
    expect(retryDelayMs(attempt, chance)).toBe(expected);
  });
});
