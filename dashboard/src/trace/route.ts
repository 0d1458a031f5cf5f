/** The trace page (`/sessions/{id}/trace`), loaded on demand. The selected call is in the URL. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../app/root';
import { textParam } from '../app/search';

export interface TraceSearch {
  call?: string;
}

export const traceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId/trace',
  validateSearch: (search: Record<string, unknown>): TraceSearch => {
    const call = textParam(search.call);
    return call === undefined ? {} : { call };
  },
  component: lazyRouteComponent(() => import('./TracePage'), 'TracePage'),
});
