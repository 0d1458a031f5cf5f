/** The whole dashboard on a given history, with its own memory of what the server said. */
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
    // Every query asks again on its own clock, so a failed one is shown at once instead of retried in silence.
    // `always`: the server may be on this very machine, whatever the browser thinks of the network.
    defaultOptions: { queries: { retry: false, networkMode: 'always' } },
  });
  return { queryClient, router: createAppRouter(queryClient, history), live: createLiveHub() };
}
