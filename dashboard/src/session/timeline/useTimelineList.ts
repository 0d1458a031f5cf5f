/** The virtual list of the timeline: visible rows, and scrolling to a row. */
import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { TimelineRow } from './row';
import { type Follow, useFollow } from './useFollow';

/** The title bar and the search bar cover the top of the page. */
const TOP_MARGIN = 116;
const OVERSCAN = 6;

export interface TimelineList {
  virtual: Virtualizer<Window, Element>;
  listRef: RefObject<HTMLDivElement | null>;
  follow: Follow;
  /** Scrolls to a row and stops following. */
  goTo: (index: number) => void;
}

export function useTimelineList(
  rows: readonly TimelineRow[],
  isLive: boolean,
  start: 'at_end' | 'at_top',
): TimelineList {
  const listRef = useRef<HTMLDivElement>(null);
  const follow = useFollow(listRef, isLive, start);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => estimate(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN,
    scrollMargin: useStableTop(listRef),
    scrollPaddingStart: TOP_MARGIN,
  });
  const goTo = (index: number) => {
    follow.stop();
    virtual.scrollToIndex(index, { align: 'start' });
  };
  return { virtual, listRef, follow, goTo };
}

/** An initial estimate; rendered rows are measured. */
function estimate(row: TimelineRow | undefined): number {
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
 * Returns the offset of the list on the page. When content above it grows, a reader inside the list keeps
 * their position. Scroll anchoring of browsers does not work for virtual lists.
 */
function useStableTop(listRef: RefObject<HTMLElement | null>): number {
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
