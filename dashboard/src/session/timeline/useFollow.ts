/** Keeps the end of a growing element in view until the user scrolls away. The page itself scrolls. */
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { type ScrollMove, shouldFollow } from './follow';
import { watchScrolling } from './scrolling';

const BOTTOM_MARGIN = 24;

export interface Follow {
  follows: boolean;
  /** Scrolls to the end and follows it. */
  jumpToEnd: () => void;
  /** Stops following. */
  stop: () => void;
}

/** Follows the end of `element` while `isGrowing`. */
export function useFollow(
  element: RefObject<HTMLElement | null>,
  isGrowing: boolean,
  start: 'at_end' | 'at_top',
): Follow {
  const [follows, setFollows] = useState(start === 'at_end');
  const onScroll = useEffectEvent((move: Omit<ScrollMove, 'toEnd'>) => {
    if (!element.current) return;
    const toEnd = distanceToEnd(element.current);
    setFollows((followed) => shouldFollow(followed, { ...move, toEnd }));
  });
  useEffect(() => watchScrolling((move) => onScroll(move)), []);
  useLayoutEffect(() => {
    if (!follows || !isGrowing) return;
    // The observer runs before the frame is drawn, so the page does not flicker.
    const observer = new ResizeObserver(() => scrollToEnd(element.current));
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [follows, isGrowing, element]);
  return {
    follows,
    jumpToEnd: () => {
      setFollows(true);
      scrollToEnd(element.current);
    },
    stop: () => setFollows(false),
  };
}

const distanceToEnd = (element: HTMLElement): number =>
  element.getBoundingClientRect().bottom + BOTTOM_MARGIN - window.innerHeight;

function scrollToEnd(element: HTMLElement | null): void {
  if (element) window.scrollBy({ top: distanceToEnd(element), behavior: 'instant' });
}
