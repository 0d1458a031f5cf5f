/**
 * Marks the words that are looked for wherever the page shows them, without touching what is drawn: browsers can paint ranges of a
 * text. One that cannot shows the line that was found all the same.
 */
import { type RefObject, useEffect } from 'react';

export const HIGHLIGHT = 'tarsy-found';
const MOST_RANGES = 2_000;

export function useHighlight(container: RefObject<HTMLElement | null>, query: string): void {
  const words = query.trim().toLowerCase();
  // After every drawing, because another part of the list may have come into view.
  useEffect(() => {
    if (!('highlights' in CSS)) return;
    if (words.length < 2 || !container.current) {
      CSS.highlights.delete(HIGHLIGHT);
      return;
    }
    CSS.highlights.set(HIGHLIGHT, new Highlight(...rangesOf(container.current, words)));
  });
  useEffect(
    () => () => {
      if ('highlights' in CSS) CSS.highlights.delete(HIGHLIGHT);
    },
    [],
  );
}

function rangesOf(container: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MOST_RANGES; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let from = text.indexOf(words); from !== -1; from = text.indexOf(words, from + words.length)) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, Math.min(from + words.length, node.nodeValue?.length ?? 0));
      ranges.push(range);
    }
  }
  return ranges;
}
