/** The route table. */
import type { QueryClient } from '@tanstack/react-query';
import { createRouter, type RouterHistory } from '@tanstack/react-router';
import { sessionRoute } from '../session/route';
import { sessionsRoute } from '../sessions/route';
import { submitAlertRoute, submitRoute, submittedRoute } from '../submit/route';
import { systemRoute } from '../system/route';
import { traceRoute } from '../trace/route';
import { PageError, rootRoute } from './root';
import { parseSearch, stringifySearch } from './search';

export function createAppRouter(queryClient: QueryClient, history: RouterHistory) {
  return createRouter({
    routeTree: rootRoute.addChildren([
      sessionsRoute,
      sessionRoute,
      traceRoute,
      submitRoute,
      submitAlertRoute,
      submittedRoute,
      systemRoute,
    ]),
    context: { queryClient },
    defaultErrorComponent: PageError,
    parseSearch,
    stringifySearch,
    history,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
