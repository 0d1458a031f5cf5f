import { act, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { ActiveSessions } from '../api/types';
import { open } from '../testing/open';
import { json, page, quiet, refusal, serve, session, silence, status } from '../testing/server';
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

describe('the sessions page', () => {
  it('shows that it is loading', async () => {
    serve({ ...quiet, [SESSIONS]: silence });
    open('/');
    expect(await screen.findByRole('status', { name: 'Loading sessions' })).toBeTruthy();
  });

  it('says what to do when there is nothing yet', async () => {
    serve({ ...quiet, [SESSIONS]: json(page()) });
    open('/');
    expect(await screen.findByRole('heading', { name: 'No investigations yet' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Submit an alert' }).getAttribute('href')).toBe('/submit');
  });

  it('says what was wrong, and recovers when asked to try again', async () => {
    serve({ ...quiet, [SESSIONS]: status(500) });
    open('/');
    expect(await screen.findByRole('heading', { name: 'Sessions could not be loaded' })).toBeTruthy();
    expect(screen.getByText(/The server answered 500/)).toBeTruthy();

    serve({ ...quiet, [SESSIONS]: json(page(session())) });
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await table()).toBeTruthy();
  });

  it('says who may see the list to those who may not', async () => {
    serve({ ...quiet, [SESSIONS]: refusal(403, 'this takes the role `viewer`') });
    open('/');
    expect(await screen.findByRole('heading', { name: 'You have no permission for this' })).toBeTruthy();
    expect(screen.getByText(/This takes the role `viewer`/)).toBeTruthy();
  });

  it('draws one row for each session, which is a link to it', async () => {
    const asked = serve({ ...quiet, [SESSIONS]: json(page(session(), running)) });
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
    expect(screen.getByText('2 in all')).toBeTruthy();
    expect(asked.filter(({ path }) => path === SESSIONS)).toHaveLength(1);
  });

  it('asks for the next page by itself, once', async () => {
    const asked = serve({ ...quiet, [SESSIONS]: json({ ...page(session()), next_cursor: '1_2' }) });
    open('/');
    expect(await screen.findByText('Loading older sessions…')).toBeTruthy();
    expect(asked.filter(({ search }) => search.includes('cursor=1_2')).length).toBeGreaterThan(0);
  });

  it('takes its filters from the address, and marks what was searched for', async () => {
    const snippet = [
      { text: 'the ', matched: false },
      { text: 'disk', matched: true },
      { text: ' <b>is</b> full', matched: false },
    ];
    const hit = { source: 'alert', timeline_event_id: null, snippet };
    const asked = serve({ ...quiet, [SESSIONS]: json(page(session({ hit }))) });
    open('/?status=failed&status=timed_out&q=disk');
    expect((await screen.findByText('disk')).tagName).toBe('MARK');
    expect(screen.getByText(/<b>is<\/b> full/)).toBeTruthy();
    const lists = asked.filter(({ path }) => path === SESSIONS);
    expect(lists[0]?.search).toBe('limit=100&status=failed&status=timed_out&q=disk');
    expect(screen.getByRole('button', { name: 'Status: Failed +1' })).toBeTruthy();
  });

  it('says when nothing matches, and clears the filters', async () => {
    serve({ ...quiet, [SESSIONS]: json(page()) });
    open('/?q=nothing');
    const notice = await screen.findByRole('heading', { name: 'No session matches' });
    const [inNotice] = within(notice.parentElement ?? document.body).getAllByRole('button', {
      name: 'Clear filters',
    });
    await userEvent.click(inNotice ?? document.body);
    expect(await screen.findByRole('heading', { name: 'No investigations yet' })).toBeTruthy();
  });

  it('is used with the keyboard alone', async () => {
    serve({ ...quiet, [SESSIONS]: json(page(session({ session_id: 'a' }), session({ session_id: 'b' }))) });
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

describe('what runs now', () => {
  const answers = {
    ...quiet,
    [SESSIONS]: json(page(running)),
    [ACTIVE]: json(
      active({
        running: [running],
        running_total: 1,
        queued: [session({ session_id: 'q' })],
        queued_total: 9,
      }),
    ),
    '/processing-status/alert-1': json({ stage_progress: [stage] }),
  };

  it('has a card with its stages, and what waits stands below', async () => {
    serve(answers);
    open('/');
    const card = await screen.findByRole('article', { name: 'NodeDown' });
    expect(await within(card).findByText('KubernetesAgent')).toBeTruthy();
    expect(within(card).getByText('Running…')).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'Queued · 9' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'and 8 more' }).getAttribute('href')).toBe('/?status=pending');
  });

  it('follows the news', async () => {
    serve(answers);
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
      stage_progress: [{ ...stage, stage: 'conclude' }],
    } as const;
    act(() => {
      socket.say({ type: 'subscribed', channel: 'sessions' });
      socket.say({ type: 'session.progress', channel: 'sessions', data } as never);
    });
    const card = await screen.findByRole('article', { name: 'NodeDown' });
    expect(await within(card).findByText('asking the model')).toBeTruthy();
    expect(within(card).getByText(/3 of 4 stages/)).toBeTruthy();
    expect(within(card).getByText('conclude')).toBeTruthy();
  });
});
