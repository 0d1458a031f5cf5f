/** The route above all routes: the shell, and what is shown where there is no page or a page broke. */
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
      <Notice
        heading="h1"
        title="There is no page here"
        action={<Button href="/">Go to the sessions</Button>}
      >
        The address may be mistyped, or it belongs to another version of TARSy.
      </Notice>
    </>
  );
}

export function Broken({ error, reset }: ErrorComponentProps) {
  return (
    <Notice heading="h1" title="This page broke" action={<Button onClick={reset}>Draw it again</Button>}>
      {error instanceof Error ? error.message : String(error)}
    </Notice>
  );
}
