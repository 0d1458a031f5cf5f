/** Tells how the page is scrolled, and whether by a hand: browsers do not say what moved a page. */
import type { Scrolled } from './follow';

/** What a hand does is seen in the page so soon. */
const HAND_MS = 400;
const KEYS = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ', 'Tab']);

/** Calls `tell` after each move, until the answer is called. */
export function watchScrolling(tell: (scrolled: Omit<Scrolled, 'toEnd'>) => void): () => void {
  const stopping = new AbortController();
  const options = { passive: true, signal: stopping.signal };
  let before = window.scrollY;
  let handAt = Number.NEGATIVE_INFINITY;
  // Who holds the scroll bar holds it for as long as they like.
  let isHeld = false;
  const hand = () => {
    handAt = performance.now();
  };
  window.addEventListener('wheel', hand, options);
  window.addEventListener('touchmove', hand, options);
  window.addEventListener('keydown', ({ key }) => KEYS.has(key) && hand(), options);
  window.addEventListener('pointerdown', () => (isHeld = true), options);
  for (const end of ['pointerup', 'pointercancel'] as const) {
    window.addEventListener(end, () => (isHeld = false), options);
  }
  const onScroll = () => {
    const now = window.scrollY;
    tell({ before, now, byHand: isHeld || performance.now() - handAt < HAND_MS });
    before = now;
  };
  window.addEventListener('scroll', onScroll, options);
  return () => stopping.abort();
}
