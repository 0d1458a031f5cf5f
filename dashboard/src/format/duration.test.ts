import { describe, expect, it } from 'vitest';
import { ageText, durationText, elapsedText } from './duration';
import { sentence } from './sentence';

describe('a length of time', () => {
  it.each([
    [0, '0 ms', '0 s', 'now'],
    [850, '850 ms', '0 s', 'now'],
    [4_290, '4.2 s', '4 s', 'now'],
    [59_999, '59 s', '59 s', 'now'],
    [65_000, '1 min 5 s', '1 min 5 s', '1 min'],
    [3_720_000, '1 h 2 min', '1 h 2 min', '1 h'],
    [90_000_000, '1 d 1 h', '1 d 1 h', '1 d'],
    [-5, '0 ms', '0 s', 'now'],
  ])('of %d ms', (ms, duration, elapsed, age) => {
    expect([durationText(ms), elapsedText(ms), ageText(ms)]).toEqual([duration, elapsed, age]);
  });
});

describe('a sentence', () => {
  it.each([
    ['this takes the role `admin`', 'This takes the role `admin`.'],
    ['The server does not answer.', 'The server does not answer.'],
    ['why?', 'Why?'],
  ])('is made of %s', (said, expected) => {
    expect(sentence(said)).toBe(expected);
  });
});
