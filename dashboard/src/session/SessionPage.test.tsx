import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { SessionDetail, TimelineEntry } from '../api/types';
import { open } from '../testing/open';
import { healthy, json, refusal, serve, silence } from '../testing/server';
import { at, chunk, detail, entry, execution, SESSION_ID, stage } from '../testing/session';
import { TestSocket } from '../testing/socket';

const ADDRESS = `/api/v1/sessions/${SESSION_ID}`;
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
    [ADDRESS]: json(session),
    [`${ADDRESS}/timeline`]: json({ events: entries, next_after: null }),
    [`${ADDRESS}/chat/messages`]: json(chat),
    [`${ADDRESS}/cancel`]: json({}),
  };
}

const visit = (what: Script = {}, hash = '') => {
  const asked = serve(script(what));
  open(`/sessions/${SESSION_ID}${hash}`);
  return asked;
};

const timeline = () => screen.findByRole('group', { name: 'Entries' });

const running = detail({
  status: 'in_progress',
  completed_at_us: null,
  current_step: 'KubernetesAgent: thinks',
  stages: [stage({ status: 'active', executions: [execution({ status: 'active' })] })],
});

/** The live socket, once the page follows the session on it. */
async function following(): Promise<TestSocket> {
  await waitFor(() => expect(TestSocket.opened.length).toBeGreaterThan(0));
  const socket = TestSocket.latest();
  act(() => {
    socket.accept();
    socket.say({ type: 'subscribed', channel: CHANNEL });
  });
  return socket;
}

describe('the session page', () => {
  it('shows that it is loading', async () => {
    serve({ '/health': healthy, [ADDRESS]: silence });
    open(`/sessions/${SESSION_ID}`);
    expect(await screen.findByRole('status', { name: 'Loading the session' })).toBeTruthy();
  });

  it.each([
    [404, 'there is no session', 'This is not here'],
    [403, 'this takes the role `viewer`', 'You have no permission for this'],
    [500, 'it broke', 'The session could not be loaded'],
  ])('says what %i means', async (code, message, title) => {
    serve({ '/health': healthy, [ADDRESS]: refusal(code, message) });
    open(`/sessions/${SESSION_ID}`);
    expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
  });

  it('shows what it is about, what came of it, and how it came about', async () => {
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
    expect(screen.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(`${ADDRESS}/export`);
  });

  it('shows hostile texts, and does nothing else with them', async () => {
    const hostile =
      '<img src=x onerror="globalThis.taken = true"><script>globalThis.taken = true</script>\u202e';
    visit({
      session: detail({
        alert_type: hostile,
        error_message: hostile,
        final_analysis: hostile,
        input: { alert_data: hostile, runbook: hostile, mcp: null },
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

  it('streams what is written, and then shows what was recorded', async () => {
    visit({ session: running, entries: [] });
    const socket = await following();
    act(() => {
      socket.say(chunk('It is ', { from_start: true }));
      socket.say(chunk('memory.'));
    });
    expect((await screen.findByRole('article', { name: 'Writing…' })).textContent).toContain('It is memory.');
    act(() => {
      socket.say({
        type: 'interaction.created',
        channel: CHANNEL,
        event_id: 1,
        data: { execution_id: 'execution-1', interaction_id: 'call-1', kind: 'llm' },
      });
      socket.say({
        type: 'timeline_event.completed',
        channel: CHANNEL,
        event_id: 2,
        data: {
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

  it('asks before it stops an investigation', async () => {
    const asked = visit({ session: running });
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
    const dialog = await screen.findByRole('dialog', { name: 'Stop this investigation?' });
    expect(asked.filter(({ method }) => method === 'POST')).toEqual([]);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Stop it' }));
    await waitFor(() => expect(asked.some(({ path }) => path === `${ADDRESS}/cancel`)).toBe(true));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('takes no question before the end, and says why', async () => {
    visit({ session: running });
    const box = await screen.findByRole('textbox', { name: 'Ask about this investigation' });
    expect(box).toHaveProperty('disabled', true);
    expect(screen.getByText('Questions can be asked once the investigation has ended.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Ask' })).toHaveProperty('disabled', true);
  });

  it('sends a question', async () => {
    const asked = visit();
    const box = await screen.findByRole('textbox', { name: 'Ask about this investigation' });
    await userEvent.type(box, 'Why?{Enter}');
    await waitFor(() => expect(box).toHaveProperty('value', ''));
    const sent = asked.find(({ method }) => method === 'POST');
    expect([sent?.path, sent?.body]).toEqual([`${ADDRESS}/chat/messages`, { content: 'Why?' }]);
  });

  it('finds words, also in another tab', async () => {
    const both = stage({
      executions: [execution(), execution({ execution_id: 'execution-2', agent_name: 'Two' })],
    });
    visit({
      session: detail({ stages: [both] }),
      entries: [entry(1), entry(2, { execution_id: 'execution-2', content: 'a needle' })],
    });
    await waitFor(async () => expect(within(await timeline()).getAllByRole('article').length).toBe(1));
    await userEvent.type(screen.getByRole('searchbox', { name: 'Find in this session' }), 'needle{Enter}');
    expect((await screen.findByRole('status', { name: 'Found' })).textContent).toBe('1 of 1');
    expect((await within(await timeline()).findByRole('article')).getAttribute('aria-current')).toBe('true');
    expect(screen.getByRole('tab', { name: /^Two/ }).getAttribute('aria-selected')).toBe('true');
  });

  it('leads to an entry by its address', async () => {
    visit({ entries: [entry(1), entry(2)] }, '#event-entry-2');
    const entries = await waitFor(async () => within(await timeline()).getAllByRole('article'));
    await waitFor(() =>
      expect(entries.map((known) => known.getAttribute('aria-current'))).toEqual([null, 'true']),
    );
  });

  it('says that the timeline could not be read, and goes on trying', async () => {
    serve({ ...script({}), [`${ADDRESS}/timeline`]: refusal(500, 'the database did not answer') });
    open(`/sessions/${SESSION_ID}`);
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The timeline could not be read. The database did not answer.');
  });
});
