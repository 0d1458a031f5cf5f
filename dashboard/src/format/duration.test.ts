import { describe, expect, it } from 'vitest';
import { ageText, durationText, elapsedText } from './duration';
import { toSentence } from './sentence';

describe('durations', () => {
  it.each([
    [0, '0 ms', '0 s', 'now'],
    [850, '850 ms', '0 s', 'now'],
    [4_290, '4.2 s', '4 s', 'now'],
    [59_999, '59 s', '59 s', 'now'],
    [65_000, '1 min 5 s', '1 min 5 s', '1 min'],
    [3_720_000, '1 h 2 min', '1 h 2 min', '1 h'],
    [90_000_000, '1 d 1 h', '1 d 1 h', '1 d'],
    [-5, '0 ms', '0 s', 'now'],
  ])('formats %d ms', (ms, duration, elapsed, age) => {
    expect([durationText(ms), elapsedText(ms), ageText(ms)]).toEqual([duration, elapsed, age]);
  });
});

describe('toSentence', () => {
  it.each([
    ['this requires the role `admin`', 'This requires the role `admin`.'],
    ['The server does not respond.', 'The server does not respond.'],
    ['why?', 'Why?'],
  ])('converts %s', (message, expected) => {
    expect(toSentence(message)).toBe(expected);
  });
});
