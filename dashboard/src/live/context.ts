/** Hands the page's one hub to whoever follows something. */
import { createContext, useContext } from 'react';
import { LiveHub } from './hub';

export const LiveContext = createContext<LiveHub | null>(null);

/** A hub that also tries again at once when the network or the reader comes back. It lives as long as the page. */
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
  if (!hub) throw new Error('nothing is followed outside of the dashboard');
  return hub;
}
