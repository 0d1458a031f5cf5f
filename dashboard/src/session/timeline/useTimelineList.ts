/** Scrolling through the timeline: which lines are in view, and going to one of them. */
import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Row } from './row';
import { type Follow, useFollow } from './useFollow';

/** The title bar and the search stand above whatever is gone to. */
const TOP_MARGIN = 116;
const SPARE_ROWS = 6;

export interface TimelineList {
  virtual: Virtualizer<Window, Element>;
  listRef: RefObject<HTMLDivElement | null>;
  follow: Follow;
  /** Goes to a line, and stays there. */
  goTo: (index: number) => void;
}

export function useTimelineList(
  rows: readonly Row[],
  isLive: boolean,
  begins: 'at_end' | 'at_top',
): TimelineList {
  const listRef = useRef<HTMLDivElement>(null);
  const follow = useFollow(listRef, isLive, begins);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => estimate(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: SPARE_ROWS,
    scrollMargin: useSteadyTop(listRef),
    scrollPaddingStart: TOP_MARGIN,
  });
  const goTo = (index: number) => {
    follow.stay();
    virtual.scrollToIndex(index, { align: 'start' });
  };
  return { virtual, listRef, follow, goTo };
}

/** A first guess; what is drawn is measured. */
function estimate(row: Row | undefined): number {
  switch (row?.kind) {
    case 'section':
      return 64;
    case 'tool':
      return 56;
    case 'thought':
      return 60;
    default:
      return 90;
  }
}

/**
 * Where the list begins on the page. What stands above it may grow: a reader who is inside of the list then stays where they
 * are. Browsers would do that by themselves, but for lists of which only a part is drawn they do it wrong.
 */
function useSteadyTop(listRef: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    let known: number | null = null;
    const measure = () => {
      if (!listRef.current) return;
      const measured = Math.round(listRef.current.getBoundingClientRect().top + window.scrollY);
      const isInside = known !== null && known < window.scrollY + TOP_MARGIN;
      if (isInside && measured !== known)
        window.scrollBy({ top: measured - (known ?? 0), behavior: 'instant' });
      known = measured;
      setTop(measured);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    measure();
    return () => observer.disconnect();
  }, [listRef]);
  return top;
}
