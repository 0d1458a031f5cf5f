/** Live state of a loaded session. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { SessionDetail } from '../api/types';
import { useLiveHub } from '../live/context';
import { type FeedState, SessionFeed } from '../live/sessionFeed';
import { chatQuery, readTimelinePage, sessionQuery } from './query';

/** `loaded` is the first response; a component instance shows one session only. */
export function useSession(loaded: SessionDetail): FeedState {
  const hub = useLiveHub();
  const queryClient = useQueryClient();
  const [feed] = useState(() => {
    const sessionId = loaded.session_id;
    const invalidate = (queryKey: readonly unknown[]) =>
      void queryClient.invalidateQueries({ queryKey, exact: true });
    return new SessionFeed(sessionId, loaded.last_event_id, {
      hub,
      readPage: (after, signal) => readTimelinePage(sessionId, after, signal),
      onDetailChange: () => invalidate(sessionQuery(sessionId).queryKey),
      onChatChange: () => invalidate(chatQuery(sessionId).queryKey),
    });
  });
  // A subscription to an external system is a use of effects that React recommends.
  useEffect(() => feed.run(), [feed]);
  return useSyncExternalStore(feed.subscribe, feed.state);
}
