/** Calls `action` soon, and at most once in `ms`, however often it is asked for. The last wish is never lost. */
import { useEffect, useEffectEvent, useRef } from 'react';

export function useThrottled(action: () => void, ms: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ranAt = useRef(0);
  const run = useEffectEvent(() => {
    timer.current = undefined;
    ranAt.current = Date.now();
    action();
  });
  const ask = useRef(() => {
    timer.current ??= setTimeout(() => run(), Math.max(0, ranAt.current + ms - Date.now()));
  });
  // Nothing happens after the page is gone.
  useEffect(() => () => clearTimeout(timer.current), []);
  return ask.current;
}
