/** The whole dashboard on a given history, with its own query cache and live connection. */
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type RouterHistory, RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { createLiveHub, LiveContext } from '../live/context';
import { createAppRouter } from './router';
import { theme } from './theme';

export function App({ history }: { history: RouterHistory }) {
  const [{ queryClient, router, live }] = useState(() => createWiring(history));
  return (
    <ThemeProvider theme={theme}>
      <CssBaseline />
      <QueryClientProvider client={queryClient}>
        <LiveContext value={live}>
          <RouterProvider router={router} />
        </LiveContext>
      </QueryClientProvider>
    </ThemeProvider>
  );
}

function createWiring(history: RouterHistory) {
  const queryClient = new QueryClient({
    // Queries refetch on their own interval, so a failure is shown immediately instead of being retried
    // silently. `always`: the server may run on this machine, so the browser's online state does not matter.
    defaultOptions: { queries: { retry: false, networkMode: 'always' } },
  });
  return { queryClient, router: createAppRouter(queryClient, history), live: createLiveHub() };
}
