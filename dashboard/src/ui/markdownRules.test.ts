import { describe, expect, it } from 'vitest';
import { isReadableMarkdown, safeUrl } from './markdownRules';

describe('isReadableMarkdown', () => {
  it.each([
    [
      'an analysis',
      '## Cause\n\nThe **pod** `shop` ran out of memory.\n\n- one\n  - two\n'.repeat(200),
      true,
    ],
    ['a wide table', `${'| a '.repeat(20)}|\n${'|---'.repeat(20)}|\n`.repeat(20), true],
    ['a line of dashes', '-'.repeat(80), true],
    ['a log', '2026-11-15 INFO and so forth\n'.repeat(500), true],
    ['a very long text', 'some words '.repeat(10_000), false],
    ['a very long line', 'x'.repeat(10_000), false],
    ['nested quotes', '> '.repeat(12), false],
    ['nested lists', `text\n${'- '.repeat(12)}x`, false],
    ['too many markers', '*a* '.repeat(10_000), false],
    ['unclosed markers', '['.repeat(300), false],
  ])('decides on %s', (_claim, text, expected) => {
    expect(isReadableMarkdown(text)).toBe(expected);
  });

  it('is fast for any input', () => {
    const startedAt = performance.now();
    for (const piece of ['- ', '>  ', '  - 1. ', ' ', '\t', '1) ']) {
      isReadableMarkdown(`${`${piece.repeat(9)}x\n`.repeat(600)}`);
      isReadableMarkdown(piece.repeat(2_000));
    }
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe('safeUrl', () => {
  it.each([
    ['https://a.example', true],
    ['HTTP://a.example', true],
    ['mailto:a@b.example', true],
    ['javascript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['/sessions', false],
    ['//a.example', false],
    ['data:text/html,x', false],
    [undefined, false],
  ])('%s: %s', (url, isSafe) => {
    expect(safeUrl(url)).toBe(isSafe ? url : null);
  });
});
