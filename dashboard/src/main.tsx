/** Entry point of the dashboard. */
import '@fontsource-variable/inter/wght.css';
import { createBrowserHistory } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root"');

createRoot(root).render(
  <StrictMode>
    <App history={createBrowserHistory()} />
  </StrictMode>,
);
