/**
 * Reports scrolling of the page, and whether the user caused it: browsers do not report the cause of a
 * scroll.
 */
import type { ScrollMove } from './follow';

/** Time within which scrolling follows user input. */
const USER_INPUT_MS = 400;
const KEYS = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ', 'AgentTab']);

/** Calls `onMove` after each scroll. Returns a function that stops it. */
export function watchScrolling(onMove: (move: Omit<ScrollMove, 'toEnd'>) => void): () => void {
  const stopping = new AbortController();
  const options = { passive: true, signal: stopping.signal };
  let before = window.scrollY;
  let inputAt = Number.NEGATIVE_INFINITY;
  // The scroll bar can be held for any length of time.
  let isPointerDown = false;
  const onInput = () => {
    inputAt = performance.now();
  };
  window.addEventListener('wheel', onInput, options);
  window.addEventListener('touchmove', onInput, options);
  window.addEventListener('keydown', ({ key }) => KEYS.has(key) && onInput(), options);
  window.addEventListener('pointerdown', () => (isPointerDown = true), options);
  for (const end of ['pointerup', 'pointercancel'] as const) {
    window.addEventListener(end, () => (isPointerDown = false), options);
  }
  const onScroll = () => {
    const now = window.scrollY;
    onMove({ before, now, byUser: isPointerDown || performance.now() - inputAt < USER_INPUT_MS });
    before = now;
  };
  window.addEventListener('scroll', onScroll, options);
  return () => stopping.abort();
}
