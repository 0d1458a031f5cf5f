/** The system page (`/system`), loaded on demand. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../app/root';

export const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  component: lazyRouteComponent(() => import('./SystemPage'), 'SystemPage'),
});
