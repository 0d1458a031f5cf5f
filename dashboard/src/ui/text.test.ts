import { describe, expect, it } from 'vitest';
import { headOf, LINE_CHARACTERS, lineAt, linesOf, sizeText, WHOLE_CHARACTERS } from './text';

describe('a long text', () => {
  it('has no beginning of its own while it is short', () => {
    expect(headOf('x'.repeat(WHOLE_CHARACTERS))).toBeNull();
  });

  it('is cut at the end of a line', () => {
    const line = 'a line of the log';
    const head = headOf(`${line}\n`.repeat(1_000));
    expect(head?.split('\n').every((shown) => shown === line)).toBe(true);
    expect(head?.split('\n').length).toBe(16);
  });

  it('is cut inside of a line that has no end', () => {
    expect(headOf('x'.repeat(2_000_000))?.length).toBe(1_500);
  });

  it('is never cut inside of a character', () => {
    const faces = '😀'.repeat(5_000);
    for (const piece of [headOf(`x${faces}`) ?? '', ...linesOf(`x${faces}`)]) {
      expect(() => encodeURIComponent(piece)).not.toThrow();
    }
  });

  it('loses nothing in its lines', () => {
    const text = `short\n${'x'.repeat(LINE_CHARACTERS * 2 + 1)}\n\nend`;
    const lines = linesOf(text);
    expect(lines.map((line) => line.length)).toEqual([5, LINE_CHARACTERS, LINE_CHARACTERS, 1, 0, 3]);
    expect(lines.join('')).toBe(text.replaceAll('\n', ''));
  });

  it('knows in which line a place stands', () => {
    const lines = linesOf('one\ntwo\nthree');
    expect([0, 3, 4, 9, 999].map((offset) => lineAt(lines, offset))).toEqual([0, 0, 1, 2, 2]);
  });

  it('says how long it is', () => {
    expect(sizeText('one line')).toBe('8 B, 1 line');
    expect(sizeText('x\n'.repeat(1_000_000))).toBe('2 MB, 1,000,001 lines');
  });
});
