import { describe, expect, it } from 'vitest';
import { LINE_CHARACTERS, lineAt, linesOf, previewOf, sizeText, WHOLE_CHARACTERS } from './text';

describe('long text', () => {
  it('has no preview while it is short', () => {
    expect(previewOf('x'.repeat(WHOLE_CHARACTERS))).toBeNull();
  });

  it('is truncated at a line break', () => {
    const line = 'a line of the log';
    const head = previewOf(`${line}\n`.repeat(1_000));
    expect(head?.split('\n').every((shown) => shown === line)).toBe(true);
    expect(head?.split('\n').length).toBe(16);
  });

  it('is truncated inside a very long line', () => {
    expect(previewOf('x'.repeat(2_000_000))?.length).toBe(1_500);
  });

  it('is never truncated inside a character', () => {
    const faces = '😀'.repeat(5_000);
    for (const piece of [previewOf(`x${faces}`) ?? '', ...linesOf(`x${faces}`)]) {
      expect(() => encodeURIComponent(piece)).not.toThrow();
    }
  });

  it('keeps all content in its lines', () => {
    const text = `short\n${'x'.repeat(LINE_CHARACTERS * 2 + 1)}\n\nend`;
    const lines = linesOf(text);
    expect(lines.map((line) => line.length)).toEqual([5, LINE_CHARACTERS, LINE_CHARACTERS, 1, 0, 3]);
    expect(lines.join('')).toBe(text.replaceAll('\n', ''));
  });

  it('finds the line of an offset', () => {
    const lines = linesOf('one\ntwo\nthree');
    expect([0, 3, 4, 9, 999].map((offset) => lineAt(lines, offset))).toEqual([0, 0, 1, 2, 2]);
  });

  it('shows its size', () => {
    expect(sizeText('one line')).toBe('8 B, 1 line');
    expect(sizeText('x\n'.repeat(1_000_000))).toBe('2 MB, 1,000,001 lines');
  });
});
