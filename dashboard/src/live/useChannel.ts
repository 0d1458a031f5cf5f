/**
 * Subscribes a component to a channel while it is mounted.
 *
 *     useChannel('sessions', (message) => { … });
 *
 * `joined` with `isReconnect` means that messages without a stored event may have been missed.
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { useLiveHub } from './context';
import type { HubMessage, LiveState } from './hub';
import type { Channel } from './wire';

export function useChannel(channel: Channel, onMessage: (message: HubMessage) => void): void {
  const hub = useLiveHub();
  const receive = useEffectEvent(onMessage);
  // A subscription to an external system is a use of effects that React recommends.
  useEffect(() => hub.subscribe(channel, null, (message) => receive(message)), [hub, channel]);
}

/** Returns the state of the live connection. */
export function useLiveState(): LiveState {
  const hub = useLiveHub();
  return useSyncExternalStore(hub.subscribeState, () => hub.state);
}
