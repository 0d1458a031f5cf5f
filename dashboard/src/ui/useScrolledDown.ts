/** Returns whether the page is scrolled down. */
import { useSyncExternalStore } from 'react';

/** Less than one row of a list. */
const NEAR_TOP_PX = 32;

function subscribe(onScroll: () => void): () => void {
  window.addEventListener('scroll', onScroll, { passive: true });
  return () => window.removeEventListener('scroll', onScroll);
}

export function useScrolledDown(): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY > NEAR_TOP_PX);
}
