/** The session page (`/sessions/{id}`): loaded on demand, in parallel with its data. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../app/root';
import { sessionQuery } from './query';

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId',
  // Started, not awaited: the page draws its own loading state.
  loader: ({ context, params }) => {
    void context.queryClient.prefetchQuery(sessionQuery(params.sessionId));
  },
  component: lazyRouteComponent(() => import('./SessionPage'), 'SessionPage'),
});
