import { act, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { ActiveSessions } from '../api/types';
import { open } from '../testing/open';
import {
  emptyServer,
  errorResponse,
  json,
  noResponse,
  page,
  serve,
  session,
  status,
} from '../testing/server';
import { TestSocket } from '../testing/socket';

const SESSIONS = '/api/v1/sessions';
const ACTIVE = '/api/v1/sessions/active';

const running = session({ session_id: 'r', alert_type: 'NodeDown', status: 'in_progress', started_at_us: 1 });
const active = (over: Partial<ActiveSessions>): ActiveSessions => ({
  running: [],
  running_total: 0,
  queued: [],
  queued_total: 0,
  ...over,
});
const stage = { stage: 'look', agent: 'KubernetesAgent', status: 'active', duration_ms: null, error: null };

const table = () => screen.findByRole('table', { name: 'Sessions' });
const rowLinks = async () => within(await table()).getAllByRole('link');

describe('sessions page', () => {
  it('shows a loading state', async () => {
    serve({ ...emptyServer, [SESSIONS]: noResponse });
    open('/');
    expect(await screen.findByRole('status', { name: 'Loading sessions' })).toBeTruthy();
  });

  it('explains what to do when there are no sessions', async () => {
    serve({ ...emptyServer, [SESSIONS]: json(page()) });
    open('/');
    expect(await screen.findByRole('heading', { name: 'No sessions yet' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Submit an alert' }).getAttribute('href')).toBe('/submit');
  });

  it('shows an error and recovers on retry', async () => {
    serve({ ...emptyServer, [SESSIONS]: status(500) });
    open('/');
    expect(await screen.findByRole('heading', { name: 'Sessions could not be loaded' })).toBeTruthy();
    expect(screen.getByText(/The server returned 500/)).toBeTruthy();

    serve({ ...emptyServer, [SESSIONS]: json(page(session())) });
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await table()).toBeTruthy();
  });

  it('explains a missing permission', async () => {
    serve({ ...emptyServer, [SESSIONS]: errorResponse(403, 'this requires the role `viewer`') });
    open('/');
    expect(await screen.findByRole('heading', { name: 'Permission denied' })).toBeTruthy();
    expect(screen.getByText(/This requires the role `viewer`/)).toBeTruthy();
  });

  it('shows one linked row per session', async () => {
    const requests = serve({ ...emptyServer, [SESSIONS]: json(page(session(), running)) });
    open('/');
    const headings = within(await table()).getAllByRole('columnheader');
    expect(headings.map((heading) => heading.textContent)).toEqual([
      'Status',
      'Alert type',
      'Chain',
      'Author',
      'Age',
      'Duration',
      'Tokens',
      'Stages',
    ]);
    expect((await rowLinks()).map((link) => link.getAttribute('href'))).toEqual([
      '/sessions/019a8000-0000-7000-8000-000000000001',
      '/sessions/r',
    ]);
    expect(screen.getByText('2 sessions')).toBeTruthy();
    expect(requests.filter(({ path }) => path === SESSIONS)).toHaveLength(1);
  });

  it('loads the next page automatically', async () => {
    const requests = serve({ ...emptyServer, [SESSIONS]: json({ ...page(session()), next_cursor: '1_2' }) });
    open('/');
    expect(await screen.findByText('Loading older sessions…')).toBeTruthy();
    expect(requests.filter(({ search }) => search.includes('cursor=1_2')).length).toBeGreaterThan(0);
  });

  it('reads filters from the URL and highlights matches', async () => {
    const snippet = [
      { text: 'the ', matched: false },
      { text: 'disk', matched: true },
      { text: ' <b>is</b> full', matched: false },
    ];
    const hit = { source: 'alert', timeline_event_id: null, snippet } as const;
    const requests = serve({ ...emptyServer, [SESSIONS]: json(page(session({ hit }))) });
    open('/?status=failed&status=timed_out&q=disk');
    expect((await screen.findByText('disk')).tagName).toBe('MARK');
    expect(screen.getByText(/<b>is<\/b> full/)).toBeTruthy();
    const lists = requests.filter(({ path }) => path === SESSIONS);
    expect(lists[0]?.search).toBe('limit=100&status=failed&status=timed_out&q=disk');
    expect(screen.getByRole('button', { name: 'Status: Failed +1' })).toBeTruthy();
  });

  it('reports that no session matches and clears the filters', async () => {
    serve({ ...emptyServer, [SESSIONS]: json(page()) });
    open('/?q=nothing');
    const notice = await screen.findByRole('heading', { name: 'No sessions match these filters' });
    const [inNotice] = within(notice.parentElement ?? document.body).getAllByRole('button', {
      name: 'Clear filters',
    });
    await userEvent.click(inNotice ?? document.body);
    expect(await screen.findByRole('heading', { name: 'No sessions yet' })).toBeTruthy();
  });

  it('can be used with the keyboard alone', async () => {
    serve({
      ...emptyServer,
      [SESSIONS]: json(page(session({ session_id: 'a' }), session({ session_id: 'b' }))),
    });
    open('/');
    const [first, second] = await rowLinks();
    await userEvent.keyboard('j');
    expect(document.activeElement).toBe(first);
    await userEvent.keyboard('j');
    expect(document.activeElement).toBe(second);
    await userEvent.keyboard('{ArrowUp}');
    expect(document.activeElement).toBe(first);
    await userEvent.keyboard('/');
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search sessions' }));
    await userEvent.keyboard('j');
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search sessions' }));
  });
});

describe('running and queued sessions', () => {
  const responses = {
    ...emptyServer,
    [SESSIONS]: json(page(running)),
    [ACTIVE]: json(
      active({
        running: [running],
        running_total: 1,
        queued: [{ ...session({ session_id: 'q' }), queue_position: 1 }],
        queued_total: 9,
      }),
    ),
    '/processing-status/alert-1': json({ stage_progress: [stage] }),
  };

  it('are shown as cards and as a list', async () => {
    serve(responses);
    open('/');
    const card = await screen.findByRole('article', { name: 'NodeDown' });
    expect(await within(card).findByText('KubernetesAgent')).toBeTruthy();
    expect(within(card).getByText('Running…')).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Queued · 9' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'and 8 more' }).getAttribute('href')).toBe('/?status=pending');
  });

  it('follow live messages', async () => {
    serve(responses);
    open('/');
    await screen.findByRole('article', { name: 'NodeDown' });
    const socket = TestSocket.latest().accept();
    const data = {
      session_id: 'r',
      alert_id: 'alert-1',
      status: 'in_progress',
      current_step: 'asking the model',
      chain_id: 'chain',
      total_stages: 4,
      completed_stages: 3,
      ended_stages: 3,
      stage_progress: [{ ...stage, stage: 'conclude' }],
    } as const;
    act(() => {
      socket.receive({ type: 'subscribed', channel: 'sessions' });
      socket.receive({ type: 'session.progress', channel: 'sessions', data } as never);
    });
    const card = await screen.findByRole('article', { name: 'NodeDown' });
    expect(await within(card).findByText('asking the model')).toBeTruthy();
    expect(within(card).getByText(/3 of 4 stages/)).toBeTruthy();
    expect(within(card).getByText('conclude')).toBeTruthy();
  });
});
