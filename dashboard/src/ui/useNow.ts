/** The time, as often as it matters. All who ask for the same beat are drawn together. */
import { useCallback, useSyncExternalStore } from 'react';

export function useNow(everyMs: number): number {
  const subscribe = useCallback(
    (onBeat: () => void) => {
      const timer = setInterval(onBeat, everyMs);
      return () => clearInterval(timer);
    },
    [everyMs],
  );
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / everyMs) * everyMs);
}
