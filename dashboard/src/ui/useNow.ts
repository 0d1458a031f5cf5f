/**
 * Returns the current time, updated every `everyMs`. Components with the same interval re-render together.
 */
import { useCallback, useSyncExternalStore } from 'react';

export function useNow(everyMs: number): number {
  const subscribe = useCallback(
    (onTick: () => void) => {
      const timer = setInterval(onTick, everyMs);
      return () => clearInterval(timer);
    },
    [everyMs],
  );
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / everyMs) * everyMs);
}
