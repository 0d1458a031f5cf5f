import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { SessionDetail, TimelineEntry } from '../api/types';
import { open } from '../testing/open';
import { errorResponse, healthy, json, noResponse, serve } from '../testing/server';
import { alertInput, at, chunk, detail, entry, execution, SESSION_ID, stage } from '../testing/session';
import { TestSocket } from '../testing/socket';

const SESSION_PATH = `/api/v1/sessions/${SESSION_ID}`;
const CHANNEL = `session:${SESSION_ID}` as const;

interface Script {
  session?: SessionDetail;
  entries?: TimelineEntry[];
  chat?: object;
}

function script({
  session = detail(),
  entries = [entry(1)],
  chat = { messages: [], is_answering: false },
}: Script) {
  return {
    '/health': healthy,
    [SESSION_PATH]: json(session),
    [`${SESSION_PATH}/timeline`]: json({ events: entries, next_after: null }),
    [`${SESSION_PATH}/chat/messages`]: json(chat),
    [`${SESSION_PATH}/cancel`]: json({}),
  };
}

const visit = (what: Script = {}, hash = '') => {
  const requests = serve(script(what));
  open(`/sessions/${SESSION_ID}${hash}`);
  return requests;
};

const timeline = () => screen.findByRole('group', { name: 'Entries' });

const running = detail({
  status: 'in_progress',
  completed_at_us: null,
  current_step: 'KubernetesAgent: thinks',
  stages: [stage({ status: 'active', executions: [execution({ status: 'active' })] })],
});

/** Returns the live socket once the page has subscribed to the session. */
async function following(): Promise<TestSocket> {
  await waitFor(() => expect(TestSocket.opened.length).toBeGreaterThan(0));
  const socket = TestSocket.latest();
  act(() => {
    socket.accept();
    socket.receive({ type: 'subscribed', channel: CHANNEL });
  });
  return socket;
}

describe('session page', () => {
  it('shows a loading state', async () => {
    serve({ '/health': healthy, [SESSION_PATH]: noResponse });
    open(`/sessions/${SESSION_ID}`);
    expect(await screen.findByRole('status', { name: 'Loading session' })).toBeTruthy();
  });

  it.each([
    [404, 'there is no session', 'Not found'],
    [403, 'this requires the role `viewer`', 'Permission denied'],
    [500, 'it broke', 'The session could not be loaded'],
  ])('explains error %i', async (code, message, title) => {
    serve({ '/health': healthy, [SESSION_PATH]: errorResponse(code, message) });
    open(`/sessions/${SESSION_ID}`);
    expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
  });

  it('shows the header, the result and the timeline', async () => {
    visit({
      session: detail({ executive_summary: 'In short.', final_analysis: '## Cause\n\nMemory.' }),
      entries: [entry(1, { event_type: 'llm_thinking', content: 'I think.' }), entry(2)],
    });
    expect(await screen.findByRole('heading', { name: 'PodFailure', level: 1 })).toBeTruthy();
    expect(screen.getByRole('status', { name: 'Status' }).textContent).toBe('Completed');
    expect(screen.getByRole('listitem', { name: 'Stage 1: collect, Completed' })).toBeTruthy();
    expect(within(screen.getByRole('region', { name: 'Final analysis' })).getByText('Memory.')).toBeTruthy();
    const entries = await waitFor(async () => within(await timeline()).getAllByRole('article'));
    expect(entries.map((article) => article.textContent)).toEqual([
      expect.stringMatching(/^Thought.*I think\.$/),
      expect.stringMatching(/^Response.*text 2$/),
    ]);
    expect(screen.getByRole('link', { name: 'Trace' }).getAttribute('href')).toBe(
      `/sessions/${SESSION_ID}/trace`,
    );
    expect(screen.getByRole('link', { name: 'Resubmit' }).getAttribute('href')).toBe(
      `/submit?from=${SESSION_ID}`,
    );
    expect(screen.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(`${SESSION_PATH}/export`);
  });

  it('renders hostile text as text', async () => {
    const hostile =
      '<img src=x onerror="globalThis.taken = true"><script>globalThis.taken = true</script>\u202e';
    visit({
      session: detail({
        alert_type: hostile,
        error_message: hostile,
        final_analysis: hostile,
        input: alertInput({ alert_data: hostile, runbook: hostile, slack_message_fingerprint: hostile }),
        stages: [stage({ name: hostile, routing_reason: hostile, error_message: hostile })],
      }),
      entries: [
        entry(1, { event_type: 'llm_thinking', content: hostile }),
        entry(2, { event_type: 'error', content: hostile }),
        entry(3, { content: hostile }),
      ],
      chat: {
        messages: [
          {
            chat_message_id: '1',
            author: hostile,
            execution_id: null,
            content: hostile,
            created_at_us: at(1),
          },
          { chat_message_id: '2', author: null, execution_id: null, content: hostile, created_at_us: at(2) },
        ],
        is_answering: false,
      },
    });
    await waitFor(async () => expect(within(await timeline()).getAllByRole('article').length).toBe(3));
    await screen.findByRole('log', { name: 'Chat' });
    const page = screen.getByRole('main');
    expect(page.querySelector('script, img')).toBeNull();
    expect(page.textContent?.split('globalThis.taken').length).toBeGreaterThan(20);
    expect('taken' in globalThis).toBe(false);
  });

  it('streams text, then shows the recorded entry', async () => {
    visit({ session: running, entries: [] });
    const socket = await following();
    act(() => {
      socket.receive(chunk('It is ', { from_start: true }));
      socket.receive(chunk('memory.'));
    });
    expect((await screen.findByRole('article', { name: 'Writing…' })).textContent).toContain('It is memory.');
    act(() => {
      socket.receive({
        type: 'interaction.created',
        channel: CHANNEL,
        event_id: 1,
        data: {
          session_id: SESSION_ID,
          execution_id: 'execution-1',
          interaction_id: 'call-1',
          kind: 'llm',
        },
      });
      socket.receive({
        type: 'timeline_event.completed',
        channel: CHANNEL,
        event_id: 2,
        data: {
          session_id: SESSION_ID,
          timeline_event_id: 'entry-1',
          stage_id: 'stage-1',
          execution_id: 'execution-1',
          event_type: 'final_analysis',
          content: 'It is memory.',
          metadata: {},
          position: 1,
          created_at_us: at(1),
        },
      });
    });
    expect((await screen.findByRole('article', { name: /^Analysis/ })).textContent).toContain(
      'It is memory.',
    );
    expect(screen.queryByRole('article', { name: 'Writing…' })).toBeNull();
  });

  it('asks for confirmation before it cancels a session', async () => {
    const requests = visit({ session: running });
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
    const dialog = await screen.findByRole('dialog', { name: 'Cancel this session?' });
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel session' }));
    await waitFor(() => expect(requests.some(({ path }) => path === `${SESSION_PATH}/cancel`)).toBe(true));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('disables the chat before the end and explains why', async () => {
    visit({ session: running });
    const box = await screen.findByRole('textbox', { name: 'Ask about this investigation' });
    expect(box).toHaveProperty('disabled', true);
    expect(screen.getByText('You can ask questions after the session has ended.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Ask' })).toHaveProperty('disabled', true);
  });

  it('sends a question', async () => {
    const requests = visit();
    const box = await screen.findByRole('textbox', { name: 'Ask about this investigation' });
    await userEvent.type(box, 'Why?{Enter}');
    await waitFor(() => expect(box).toHaveProperty('value', ''));
    const sent = requests.find(({ method }) => method === 'POST');
    expect([sent?.path, sent?.body]).toEqual([`${SESSION_PATH}/chat/messages`, { content: 'Why?' }]);
  });

  it('finds text in another tab', async () => {
    const both = stage({
      executions: [execution(), execution({ execution_id: 'execution-2', agent_name: 'Two' })],
    });
    visit({
      session: detail({ stages: [both] }),
      entries: [entry(1), entry(2, { execution_id: 'execution-2', content: 'a needle' })],
    });
    await waitFor(async () => expect(within(await timeline()).getAllByRole('article').length).toBe(1));
    await userEvent.type(screen.getByRole('searchbox', { name: 'Find in this session' }), 'needle{Enter}');
    expect((await screen.findByRole('status', { name: 'Matches' })).textContent).toBe('1 of 1');
    expect((await within(await timeline()).findByRole('article')).getAttribute('aria-current')).toBe('true');
    expect(screen.getByRole('tab', { name: /^Two/ }).getAttribute('aria-selected')).toBe('true');
  });

  it('scrolls to the entry in the URL fragment', async () => {
    visit({ entries: [entry(1), entry(2)] }, '#event-entry-2');
    const entries = await waitFor(async () => within(await timeline()).getAllByRole('article'));
    await waitFor(() =>
      expect(entries.map((known) => known.getAttribute('aria-current'))).toEqual([null, 'true']),
    );
  });

  it.each([
    ['?event=entry-2', [null, 'true']],
    ['?stage=stage-1&event=entry-1', ['true', null]],
    // A fragment is set by a click on this page, so it is newer than the parameters.
    ['?event=entry-2#event-entry-1', ['true', null]],
  ])('goes to the entry that the link %s names', async (link, current) => {
    visit({ entries: [entry(1), entry(2)] }, link);
    const entries = await waitFor(async () => within(await timeline()).getAllByRole('article'));
    await waitFor(() => expect(entries.map((known) => known.getAttribute('aria-current'))).toEqual(current));
    expect(screen.queryByText(/The linked/)).toBeNull();
  });

  it('goes to the stage that a link names', async () => {
    visit({}, '?stage=stage-1');
    const heading = await screen.findByRole('heading', { name: '1. collect' });
    await waitFor(() => expect(heading.closest('[aria-current]')).toBeTruthy());
  });

  it.each([
    ['?event=gone', 'The linked entry is not in this timeline.'],
    ['#event-gone', 'The linked entry is not in this timeline.'],
    ['?stage=gone', 'The linked stage is not in this timeline.'],
    ['?stage=stage-1&event=gone', 'The linked entry is not in this timeline. Its stage is shown instead.'],
  ])('says that the target of the link %s does not exist', async (link, note) => {
    visit({}, link);
    expect(await screen.findByText(note)).toBeTruthy();
  });

  it('says that the target of a link may appear later in a running session', async () => {
    visit({ session: running }, '?event=later');
    expect(await screen.findByText('The linked entry is not in this timeline yet.')).toBeTruthy();
  });

  it('shows the fingerprint of a Slack message only if there is one', async () => {
    visit({ session: detail({ input: alertInput({ slack_message_fingerprint: 'fp-42' }) }) });
    const label = await screen.findByText('Slack fingerprint');
    expect(label.nextElementSibling?.textContent).toBe('fp-42');
  });

  it('counts how long a model has been processing the prompt', async () => {
    visit({ session: running });
    await timeline();
    const socket = await following();
    const data = { part: 'model_progress', from_start: true, interaction_id: 'waiting' } as const;
    act(() => socket.receive(chunk('Processing the prompt, 30 s', data)));
    const waiting = await screen.findByRole('article', { name: 'Waiting for the model' });
    expect(waiting.textContent).toMatch(/Processing the prompt, 3\d s/);
    vi.useFakeTimers({ now: Date.now() + 95_000 });
    act(() => socket.receive(chunk('Processing the prompt, 2 min', data)));
    act(() => void vi.advanceTimersByTime(1_000));
    vi.useRealTimers();
    await waitFor(() => expect(waiting.textContent).toMatch(/Processing the prompt, 2 min \d+ s/));
  });

  it('shows in the chat what an answer waits for, until it starts', async () => {
    visit({ chat: { messages: [], is_answering: true } });
    const socket = await following();
    const data = { part: 'model_progress', from_start: true, interaction_id: 'w', stage_id: null } as const;
    const text = 'Waiting 5 min for provider google: rate limit';
    act(() => socket.receive(chunk(text, { ...data, execution_id: 'answer-1' })));
    const chat = await screen.findByRole('log', { name: 'Chat' });
    const waiting = await within(chat).findByRole('article', { name: 'Waiting for the model' });
    expect(waiting.textContent).toContain(text);
    act(() => socket.receive({ type: 'stream.ended', channel: CHANNEL, data: { interaction_id: 'w' } }));
    await waitFor(() =>
      expect(within(chat).queryByRole('article', { name: 'Waiting for the model' })).toBeNull(),
    );
  });

  it('marks the sources of a web search as external links', async () => {
    // The first source is recorded from Gemini, whose addresses may contain spaces.
    const weather = 'https://www.google.com/search?q=weather+in+San Francisco, CA,+US';
    const title = 'Weather information for San Francisco, CA, US';
    const query = 'weather in San Francisco today';
    const metadata = {
      queries: [query],
      sources: [
        { uri: weather, title },
        { uri: 'javascript:alert(1)', title: 'Bad' },
      ],
      query_count: 1,
      source_count: 2,
    };
    const content = `Query: ${query}\n- ${title} (${weather})\n- Bad (javascript:alert(1))`;
    visit({ entries: [entry(1, { event_type: 'google_search_result', content, metadata })] });
    const search = await screen.findByRole('article', { name: /^Web search/ });
    expect(within(search).getByText(`Query: ${query}`)).toBeTruthy();
    const link = within(search).getByRole('link', { name: /Weather information.*external link/ });
    expect([link.getAttribute('href'), link.getAttribute('rel')]).toEqual([
      weather,
      'noopener noreferrer nofollow',
    ]);
    expect(within(search).getByText('Bad').closest('a')).toBeNull();
  });

  it('reports that the timeline could not be loaded', async () => {
    serve({
      ...script({}),
      [`${SESSION_PATH}/timeline`]: errorResponse(500, 'the database did not respond'),
    });
    open(`/sessions/${SESSION_ID}`);
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The timeline could not be loaded. The database did not respond.');
  });
});
