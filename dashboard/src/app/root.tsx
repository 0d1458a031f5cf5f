/** The root route: the shell, the not-found page, and the error page. */
import Button from '@mui/material/Button';
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, type ErrorComponentProps } from '@tanstack/react-router';
import { Notice } from '../ui/Notice';
import { Shell } from './Shell';

export interface RouterContext {
  queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Shell,
  notFoundComponent: NotFound,
});

function NotFound() {
  return (
    <>
      <title>Not found · TARSy</title>
      <Notice heading="h1" title="Page not found" action={<Button href="/">Go to sessions</Button>}>
        Check the URL. The page may belong to another version of TARSy.
      </Notice>
    </>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Notice
      heading="h1"
      title="Something went wrong on this page"
      action={<Button onClick={reset}>Retry</Button>}
    >
      {error instanceof Error ? error.message : String(error)}
    </Notice>
  );
}
