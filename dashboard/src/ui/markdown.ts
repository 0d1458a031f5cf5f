/** What of a text that somebody else wrote may become Markdown, and where its links may lead. Pure. */

/** A longer text is shown as it is: reading it as Markdown would hold up the page. */
const MOST_CHARACTERS = 60_000;
const LONGEST_LINE = 8_000;
/** Deeper nesting than this is nothing that a person reads, but costs a reader of Markdown dearly. */
const DEEPEST_LINE = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])[ \t]?){24}/m;
/** So many openings without an end in a row are not meant for readers either. */
const OPENINGS = /[[*_`~(<!]{200}/;

export function isReadableMarkdown(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return false;
  if (OPENINGS.test(text) || DEEPEST_LINE.test(text)) return false;
  return text.split('\n').every((line) => line.length <= LONGEST_LINE);
}

const SAFE = /^(?:https?:\/\/|mailto:)/i;

/** The address of a link, if it may be one: it leads to the web or to a mailbox and nowhere into this application. */
export function safeAddress(address: string | undefined): string | null {
  return address !== undefined && SAFE.test(address) ? address : null;
}

/** Headings begin below those of the page: `#` is a heading of the third level. */
export function headingLevel(level: number): 3 | 4 | 5 | 6 {
  return level <= 1 ? 3 : level === 2 ? 4 : level === 3 ? 5 : 6;
}
