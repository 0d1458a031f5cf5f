import { describe, expect, it } from 'vitest';
import { listParam, parseSearch, stringifySearch, textParam } from './search';

describe('query string', () => {
  it.each([
    ['', {}],
    ['?q=pod+restarts', { q: 'pod restarts' }],
    ['?q=404', { q: '404' }],
    ['?status=failed&status=timed_out', { status: ['failed', 'timed_out'] }],
    ['?type=a%2Cb%26c', { type: 'a,b&c' }],
  ])('%s round-trips', (search, texts) => {
    expect(parseSearch(search)).toEqual(texts);
    expect(stringifySearch(texts)).toBe(search);
  });

  it('omits empty values', () => {
    expect(stringifySearch({ q: undefined, status: [], type: '' })).toBe('');
  });

  it('reads lists and single values', () => {
    expect([listParam(undefined), listParam('a'), listParam(['a', '', 'b'])]).toEqual([
      [],
      ['a'],
      ['a', 'b'],
    ]);
    expect([textParam(undefined), textParam('a'), textParam(['a', 'b']), textParam('')]).toEqual([
      undefined,
      'a',
      'a',
      undefined,
    ]);
  });
});
