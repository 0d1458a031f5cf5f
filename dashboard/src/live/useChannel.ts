/**
 * Follows a channel for as long as a component is there.
 *
 *     useChannel('sessions', (news) => { … });
 *
 * `joined` with `again` means that the page was away: whatever is not a stored event may have been missed.
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { useLiveHub } from './context';
import type { LiveState, News } from './hub';
import type { Channel } from './wire';

export function useChannel(channel: Channel, onNews: (news: News) => void): void {
  const hub = useLiveHub();
  const hear = useEffectEvent(onNews);
  // A subscription to something outside of React is what effects are for.
  useEffect(() => hub.follow(channel, null, (news) => hear(news)), [hub, channel]);
}

/** Whether live news arrive. */
export function useLiveState(): LiveState {
  const hub = useLiveHub();
  return useSyncExternalStore(hub.watchState, () => hub.state);
}
