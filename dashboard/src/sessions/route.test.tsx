import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { open } from '../testing/open';
import { healthy, json, page, serve, session, silence, status } from '../testing/server';

const SESSIONS = '/api/v1/sessions';

describe('the sessions page', () => {
  it('shows that it is loading', async () => {
    serve({ '/health': healthy, [SESSIONS]: silence });
    open('/');
    expect(await screen.findByRole('status', { name: 'Loading sessions' })).toBeTruthy();
  });

  it('says what to do when there is nothing yet', async () => {
    serve({ '/health': healthy, [SESSIONS]: json(page()) });
    open('/');
    expect(await screen.findByRole('heading', { name: 'No investigations yet' })).toBeTruthy();
    expect(screen.getByText(/starts when an alert is sent to this server/)).toBeTruthy();
  });

  it('says what was wrong, and recovers when asked to try again', async () => {
    serve({ '/health': healthy, [SESSIONS]: status(500) });
    open('/');
    expect(await screen.findByRole('heading', { name: 'Sessions could not be loaded' })).toBeTruthy();
    expect(screen.getByText(/The server answered 500/)).toBeTruthy();

    serve({ '/health': healthy, [SESSIONS]: json(page(session())) });
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('table', { name: 'Sessions' })).toBeTruthy();
  });

  it('draws one row for each session', async () => {
    const running = session({ session_id: '2', alert_type: 'NodeDown', status: 'in_progress', author: null });
    serve({ '/health': healthy, [SESSIONS]: json(page(session(), running)) });
    open('/');
    const table = await screen.findByRole('table', { name: 'Sessions' });

    const headings = within(table).getAllByRole('columnheader');
    expect(headings.map((heading) => heading.textContent)).toEqual([
      'Status',
      'Alert type',
      'Chain',
      'Author',
      'Created',
      'Tokens',
      'Stages',
    ]);
    const rows = within(table).getAllByRole('row').slice(1);
    expect(rows.map((row) => within(row).getAllByRole('cell')[0]?.textContent)).toEqual([
      'Completed',
      'Running',
    ]);
    expect(within(table).getAllByRole('cell', { name: '2 of 4' })).toHaveLength(2);
  });

  it('says that there are older sessions than it shows', async () => {
    serve({ '/health': healthy, [SESSIONS]: json({ ...page(session()), next_cursor: 'older' }) });
    open('/');
    expect(await screen.findByText(/there are older ones/)).toBeTruthy();
  });
});
