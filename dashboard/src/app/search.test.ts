import { describe, expect, it } from 'vitest';
import { listOf, parseSearch, stringifySearch, textOf } from './search';

describe('the search of an address', () => {
  it.each([
    ['', {}],
    ['?q=pod+restarts', { q: 'pod restarts' }],
    ['?q=404', { q: '404' }],
    ['?status=failed&status=timed_out', { status: ['failed', 'timed_out'] }],
    ['?type=a%2Cb%26c', { type: 'a,b&c' }],
  ])('%s is read and written the same', (search, texts) => {
    expect(parseSearch(search)).toEqual(texts);
    expect(stringifySearch(texts)).toBe(search);
  });

  it('leaves out what is not there', () => {
    expect(stringifySearch({ q: undefined, status: [], type: '' })).toBe('');
  });

  it('gives lists and single texts of whatever was written', () => {
    expect([listOf(undefined), listOf('a'), listOf(['a', '', 'b'])]).toEqual([[], ['a'], ['a', 'b']]);
    expect([textOf(undefined), textOf('a'), textOf(['a', 'b']), textOf('')]).toEqual([
      undefined,
      'a',
      'a',
      undefined,
    ]);
  });
});
