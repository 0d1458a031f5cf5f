/** What of a text that somebody else wrote may become Markdown, and where its links may lead. Pure. */

/** A longer text is shown as it is: reading it as Markdown would hold up the page. */
const MOST_CHARACTERS = 60_000;
const LONGEST_LINE = 8_000;
/** What a text costs depends on what may have a meaning in it, more than on its length. */
const MOST_MARKS = 10_000;
const MARK = /[\n*_[`|~<&@#>+-]/g;
/** Deeper nesting than this is nothing that a person reads, but costs a reader of Markdown dearly. */
const DEEPEST_LINE = /^[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*){10}/m;
/** So many openings without an end in a row are not meant for readers either. */
const OPENINGS = /[[*_`~(<!]{200}/;

export function isReadableMarkdown(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return false;
  if (OPENINGS.test(text) || DEEPEST_LINE.test(text)) return false;
  if ((text.match(MARK)?.length ?? 0) > MOST_MARKS) return false;
  return text.split('\n').every((line) => line.length <= LONGEST_LINE);
}

const SAFE = /^(?:https?:\/\/|mailto:)/i;

/** The address of a link, if it may be one: it leads to the web or to a mailbox and nowhere into this application. */
export function safeAddress(address: string | undefined): string | null {
  return address !== undefined && SAFE.test(address) ? address : null;
}

/** As much of a tree of Markdown as headings take. */
export interface MarkdownNode {
  type: string;
  depth?: number;
  children?: MarkdownNode[];
}

const FIRST_LEVEL = 3;
const LAST_LEVEL = 6;

/** Headings begin below those of the page: whichever is the highest of a text becomes one of the third level. */
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
