/** Returns a throttled `action`: it runs at most once per `ms`, and the last call is never lost. */
import { useEffect, useEffectEvent, useRef } from 'react';

export function useThrottled(action: () => void, ms: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ranAt = useRef(0);
  const run = useEffectEvent(() => {
    timer.current = undefined;
    ranAt.current = Date.now();
    action();
  });
  const request = useRef(() => {
    timer.current ??= setTimeout(() => run(), Math.max(0, ranAt.current + ms - Date.now()));
  });
  // Cancels a pending call on unmount.
  useEffect(() => () => clearTimeout(timer.current), []);
  return request.current;
}
