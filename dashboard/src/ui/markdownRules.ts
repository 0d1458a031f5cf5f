/** Limits for untrusted Markdown: what is parsed, and where links may lead. Pure. */

/** Longer text is shown as plain text: parsing it would block the page. */
const MAX_CHARACTERS = 60_000;
const MAX_LINE_CHARACTERS = 8_000;
/** The cost of parsing depends on the number of special characters more than on the length. */
const MAX_MARKS = 10_000;
const MARK = /[\n*_[`|~<&@#>+-]/g;
/** Deeper nesting is never written for readers, and is very expensive to parse. */
const DEEPEST_LINE = /^[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*){10}/m;
/** Long runs of unclosed markers are not written for readers either. */
const OPENINGS = /[[*_`~(<!]{200}/;

export function isReadableMarkdown(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  if (OPENINGS.test(text) || DEEPEST_LINE.test(text)) return false;
  if ((text.match(MARK)?.length ?? 0) > MAX_MARKS) return false;
  return text.split('\n').every((line) => line.length <= MAX_LINE_CHARACTERS);
}

const SAFE = /^(?:https?:\/\/|mailto:)/i;

/** Returns the URL of a link if it is allowed: web and mail addresses, never paths of this application. */
export function safeUrl(url: string | undefined): string | null {
  return url !== undefined && SAFE.test(url) ? url : null;
}

/** The part of a Markdown syntax tree that headings need. */
export interface MarkdownNode {
  type: string;
  depth?: number;
  children?: MarkdownNode[];
}

const FIRST_LEVEL = 3;
const LAST_LEVEL = 6;

/** Shifts headings below those of the page: the highest heading becomes level 3. */
export function lowerHeadings(tree: MarkdownNode): void {
  const headings = headingsIn(tree);
  const highest = Math.min(...headings.map(({ depth = LAST_LEVEL }) => depth));
  for (const heading of headings) {
    heading.depth = Math.min(LAST_LEVEL, (heading.depth ?? LAST_LEVEL) - highest + FIRST_LEVEL);
  }
}

function headingsIn(node: MarkdownNode): MarkdownNode[] {
  return [...(node.type === 'heading' ? [node] : []), ...(node.children ?? []).flatMap(headingsIn)];
}
