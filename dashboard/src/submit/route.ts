/** The pages to submit an alert (`/submit`) and to see what becomes of it (`/submit/{alert_id}`): loaded when opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../app/root';
import { textOf } from '../app/search';

export interface SubmitSearch {
  /** A session whose alert is to be sent again. */
  from?: string;
}

export const submitRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/submit',
  validateSearch: (search: Record<string, unknown>): SubmitSearch => {
    const from = textOf(search.from);
    return from === undefined ? {} : { from };
  },
  component: lazyRouteComponent(() => import('./SubmitPage'), 'SubmitPage'),
});

export const submittedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/submit/$alertId',
  component: lazyRouteComponent(() => import('./ProgressPage'), 'ProgressPage'),
});
