/** The trace page (`/sessions/{id}/trace`): loaded when it is opened. The call that is looked at stands in the address. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../app/root';
import { textOf } from '../app/search';

export interface TraceSearch {
  call?: string;
}

export const traceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId/trace',
  validateSearch: (search: Record<string, unknown>): TraceSearch => {
    const call = textOf(search.call);
    return call === undefined ? {} : { call };
  },
  component: lazyRouteComponent(() => import('./TracePage'), 'TracePage'),
});
