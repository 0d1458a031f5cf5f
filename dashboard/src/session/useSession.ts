/** A session that was loaded once, from then on as it happens. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { SessionDetail } from '../api/types';
import { useLiveHub } from '../live/context';
import { type FeedState, SessionFeed } from '../live/sessionFeed';
import { chatQuery, readTimelinePage, sessionQuery } from './query';

/** `loaded` is the first answer about the session; a component that uses this is about one session all its life. */
export function useSession(loaded: SessionDetail): FeedState {
  const hub = useLiveHub();
  const queryClient = useQueryClient();
  const [feed] = useState(() => {
    const sessionId = loaded.session_id;
    const again = (queryKey: readonly unknown[]) =>
      void queryClient.invalidateQueries({ queryKey, exact: true });
    return new SessionFeed(sessionId, loaded.last_event_id, {
      hub,
      readPage: (after, signal) => readTimelinePage(sessionId, after, signal),
      onDetailChange: () => again(sessionQuery(sessionId).queryKey),
      onChatChange: () => again(chatQuery(sessionId).queryKey),
    });
  });
  // A subscription to something outside of React is what effects are for.
  useEffect(() => feed.run(), [feed]);
  return useSyncExternalStore(feed.watch, feed.state);
}
