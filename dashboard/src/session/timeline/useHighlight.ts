/**
 * Highlights search matches with the CSS Custom Highlight API, without changing the rendered elements.
 * Browsers without it still show the selected row.
 */
import { type RefObject, useEffect } from 'react';

export const HIGHLIGHT = 'tarsy-found';
const MAX_RANGES = 2_000;

export function useHighlight(container: RefObject<HTMLElement | null>, query: string): void {
  const needle = query.trim().toLowerCase();
  // Runs after every render, because other rows may have become visible.
  useEffect(() => {
    if (!('highlights' in CSS)) return;
    if (needle.length < 2 || !container.current) {
      CSS.highlights.delete(HIGHLIGHT);
      return;
    }
    CSS.highlights.set(HIGHLIGHT, new Highlight(...rangesOf(container.current, needle)));
  });
  useEffect(
    () => () => {
      if ('highlights' in CSS) CSS.highlights.delete(HIGHLIGHT);
    },
    [],
  );
}

function rangesOf(container: HTMLElement, needle: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MAX_RANGES; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + needle.length)) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, Math.min(from + needle.length, node.nodeValue?.length ?? 0));
      ranges.push(range);
    }
  }
  return ranges;
}
