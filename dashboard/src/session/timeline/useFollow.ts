/** Keeps the end of something that grows in view, for as long as the reader stays there. The page itself scrolls. */
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { followsAfter, type Scrolled } from './follow';
import { watchScrolling } from './scrolling';

const BOTTOM_MARGIN = 24;

export interface Follow {
  follows: boolean;
  /** Goes to the end, and stays there. */
  jump: () => void;
  /** Stays where the page is. */
  stay: () => void;
}

/** Follows the end of `element` while `isGrowing`. */
export function useFollow(
  element: RefObject<HTMLElement | null>,
  isGrowing: boolean,
  begins: 'at_end' | 'at_top',
): Follow {
  const [follows, setFollows] = useState(begins === 'at_end');
  const onScroll = useEffectEvent((scrolled: Omit<Scrolled, 'toEnd'>) => {
    if (!element.current) return;
    const toEnd = distanceToEnd(element.current);
    setFollows((followed) => followsAfter(followed, { ...scrolled, toEnd }));
  });
  useEffect(() => watchScrolling((scrolled) => onScroll(scrolled)), []);
  useLayoutEffect(() => {
    if (!follows || !isGrowing) return;
    // The browser tells of a new height before it draws, so nothing is seen to jump.
    const observer = new ResizeObserver(() => scrollToEnd(element.current));
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [follows, isGrowing, element]);
  return {
    follows,
    jump: () => {
      setFollows(true);
      scrollToEnd(element.current);
    },
    stay: () => setFollows(false),
  };
}

const distanceToEnd = (element: HTMLElement): number =>
  element.getBoundingClientRect().bottom + BOTTOM_MARGIN - window.innerHeight;

function scrollToEnd(element: HTMLElement | null): void {
  if (element) window.scrollBy({ top: distanceToEnd(element), behavior: 'instant' });
}
