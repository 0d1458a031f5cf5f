/** Provides the single live hub of the page to components. */
import { createContext, useContext } from 'react';
import { LiveHub } from './hub';

export const LiveContext = createContext<LiveHub | null>(null);

/**
 * Creates a hub that reconnects immediately when the network returns or the page becomes visible. It lives as
 * long as the page.
 */
export function createLiveHub(): LiveHub {
  const hub = new LiveHub();
  window.addEventListener('online', hub.wake);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') hub.wake();
  });
  return hub;
}

export function useLiveHub(): LiveHub {
  const hub = useContext(LiveContext);
  if (!hub) throw new Error('useLiveHub must be used inside LiveContext');
  return hub;
}
