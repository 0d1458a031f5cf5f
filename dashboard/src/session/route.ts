/** The session page (`/sessions/{id}`): loaded on demand, in parallel with its data. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../app/root';
import { textParam } from '../app/search';
import { sessionQuery } from './query';

/** The target of a link as the Go version of TARSy writes it. Links of this dashboard use the fragment. */
export interface SessionSearch {
  stage?: string;
  event?: string;
}

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId',
  validateSearch: (search: Record<string, unknown>): SessionSearch => {
    const [stage, event] = [textParam(search.stage), textParam(search.event)];
    return { ...(stage !== undefined && { stage }), ...(event !== undefined && { event }) };
  },
  // Started, not awaited: the page draws its own loading state.
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(sessionQuery(params.sessionId));
  },
  component: lazyRouteComponent(() => import('./SessionPage'), 'SessionPage'),
});
