/** Previews and line splitting of long text. Pure. */
import { compactBytes, wholeCount } from '../format/count';

/** Text up to this length is shown whole. */
export const WHOLE_CHARACTERS = 4_000;
const HEAD_CHARACTERS = 1_500;
const HEAD_LINES = 16;
/** Longer lines are split, because a single huge line would be laid out as a whole. */
export const LINE_CHARACTERS = 2_000;

/**
 * Returns the beginning of a long text, truncated at a line break if one is near; null if the text is short.
 */
export function previewOf(text: string): string | null {
  if (text.length <= WHOLE_CHARACTERS) return null;
  const lines = text.slice(0, HEAD_CHARACTERS).split('\n');
  if (lines.length > HEAD_LINES) return lines.slice(0, HEAD_LINES).join('\n');
  return lines.length > 2 ? lines.slice(0, -1).join('\n') : withoutHalfSurrogate(lines.join('\n'));
}

/** A cut may split a surrogate pair. */
function withoutHalfSurrogate(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

/** Splits a text into lines that are short enough to render. */
export function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.length <= LINE_CHARACTERS ? [line] : pieces(line)));
}

function pieces(line: string): string[] {
  const cut: string[] = [];
  for (let from = 0; from < line.length; ) {
    const piece = withoutHalfSurrogate(line.slice(from, from + LINE_CHARACTERS));
    cut.push(piece);
    from += Math.max(1, piece.length);
  }
  return cut;
}

/** Returns the size for the expand button: `2.1 MB, 30,211 lines`. */
export function sizeText(text: string): string {
  const lines = text.split('\n').length;
  return `${compactBytes(text.length)}, ${wholeCount(lines)} ${lines === 1 ? 'line' : 'lines'}`;
}

/** Returns the index of the line that contains `offset`; `lines` is the result of `linesOf`. */
export function lineAt(lines: readonly string[], offset: number): number {
  let passed = 0;
  for (const [index, line] of lines.entries()) {
    passed += line.length + 1;
    if (passed > offset) return index;
  }
  return Math.max(0, lines.length - 1);
}
