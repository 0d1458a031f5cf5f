/** The submit page (`/submit`) and the progress page (`/submit/{alert_id}`), loaded on demand. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../app/root';
import { textParam } from '../app/search';

export interface SubmitSearch {
  /** A session whose alert is to be resubmitted. */
  from?: string;
}

export const submitRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/submit',
  validateSearch: (search: Record<string, unknown>): SubmitSearch => {
    const from = textParam(search.from);
    return from === undefined ? {} : { from };
  },
  component: lazyRouteComponent(() => import('./SubmitPage'), 'SubmitPage'),
});

/** The address of the form in the Go version of TARSy, as shared in chats and runbooks. */
export const submitAlertRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/submit-alert',
  beforeLoad: () => {
    throw redirect({ to: '/submit', replace: true });
  },
});

export const submittedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/submit/$alertId',
  component: lazyRouteComponent(() => import('./ProgressPage'), 'ProgressPage'),
});
