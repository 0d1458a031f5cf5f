/** Which address shows which page. */
import type { QueryClient } from '@tanstack/react-query';
import { createRouter, type RouterHistory } from '@tanstack/react-router';
import { sessionsRoute } from '../sessions/route';
import { Broken, rootRoute } from './root';

export function createAppRouter(queryClient: QueryClient, history: RouterHistory) {
  return createRouter({
    routeTree: rootRoute.addChildren([sessionsRoute]),
    context: { queryClient },
    defaultErrorComponent: Broken,
    history,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
