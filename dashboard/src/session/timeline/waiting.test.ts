import { describe, expect, it } from 'vitest';
import { readWaiting, waitingText } from './waiting';

describe('waiting for a model', () => {
  it.each([
    ['Processing the prompt, 30 s', 'Processing the prompt', 30_000],
    ['Processing the prompt, 2 min', 'Processing the prompt', 120_000],
    ['Processing the prompt, 1 h 5 min', 'Processing the prompt', 3_900_000],
    ['Waiting 5 min for provider google: rate limit', 'Waiting 5 min for provider google: rate limit', null],
    ['', '', null],
  ])('reads %j', (text, activity, elapsedMs) => {
    expect(readWaiting(text)).toEqual({ activity, elapsedMs });
  });

  it('counts from the beginning', () => {
    const waiting = readWaiting('Processing the prompt, 2 min');
    expect(waitingText(waiting, 1_000, 151_000)).toBe('Processing the prompt, 2 min 30 s');
    expect(waitingText(readWaiting('Rate limit'), 0, 1_000)).toBe('Rate limit');
  });
});
