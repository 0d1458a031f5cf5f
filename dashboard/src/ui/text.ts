/** How much of a text is shown, and the lines of a text that is too long to be drawn at once. Pure. */
import { compactBytes, wholeCount } from '../format/count';

/** A text up to this length is drawn whole. */
export const WHOLE_CHARACTERS = 4_000;
const HEAD_CHARACTERS = 1_500;
const HEAD_LINES = 16;
/** A longer line is drawn as several, since one that never ends would be laid out at once. */
export const LINE_CHARACTERS = 2_000;

/** The beginning of a long text, at the end of a line if one is near; null if the text is short. */
export function headOf(text: string): string | null {
  if (text.length <= WHOLE_CHARACTERS) return null;
  const lines = text.slice(0, HEAD_CHARACTERS).split('\n');
  if (lines.length > HEAD_LINES) return lines.slice(0, HEAD_LINES).join('\n');
  return lines.length > 2 ? lines.slice(0, -1).join('\n') : withoutHalf(lines.join('\n'));
}

/** A cut may fall into the middle of a character that takes two places. */
function withoutHalf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

/** The lines of a text, each short enough to be drawn. */
export function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.length <= LINE_CHARACTERS ? [line] : pieces(line)));
}

function pieces(line: string): string[] {
  const cut: string[] = [];
  for (let from = 0; from < line.length; ) {
    const piece = withoutHalf(line.slice(from, from + LINE_CHARACTERS));
    cut.push(piece);
    from += Math.max(1, piece.length);
  }
  return cut;
}

/** How much there is, for the button that shows it: `2.1 MB, 30,211 lines`. */
export function sizeText(text: string): string {
  const lines = text.split('\n').length;
  return `${compactBytes(text.length)}, ${wholeCount(lines)} ${lines === 1 ? 'line' : 'lines'}`;
}

/** The line in which a place of a text stands, among `linesOf` it. */
export function lineAt(lines: readonly string[], offset: number): number {
  let passed = 0;
  for (const [index, line] of lines.entries()) {
    passed += line.length + 1;
    if (passed > offset) return index;
  }
  return Math.max(0, lines.length - 1);
}
