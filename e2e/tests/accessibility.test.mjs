/** Checks every page in its main states, light and dark, with axe-core. */
import { after, before, describe, it } from 'node:test';
import { assertAccessible, assertContrast } from '../accessibility.mjs';
import { getJson, submitAlert, waitForChunk, waitForEnd } from '../api.mjs';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { createGate, resultsIn, textDelta, thinkingDelta, toolCallDelta } from '../model.mjs';
import { finalAnalysis, streamedText, waitForStatus } from '../pages.mjs';
import { startTestServer } from '../testServer.mjs';

const ANALYSIS = `## Cause

The pod needs **more memory** than its limit, see [the manual](https://kubernetes.example/memory).

| pod | limit | used |
|---|---|---|
| shop-checkout | 128Mi | 131Mi |

1. Raise the limit:

   \`\`\`yaml
   limits: { memory: 256Mi }
   \`\`\`

- [x] looked at the pods
- [ ] looked at the code
> It was so before.
`;

async function* script({ model, messages }) {
  if (model !== 'investigation') return yield textDelta(ANALYSIS);
  if (resultsIn({ messages }) === 0) {
    yield thinkingDelta(`The pods first. ${'Then their events, and what the events say. '.repeat(20)}`);
    return yield toolCallDelta(['cluster__pods', { namespace: 'shop' }], ['cluster__broken', {}]);
  }
  yield textDelta(ANALYSIS);
  if (JSON.stringify(messages).includes('forever')) await createGate().opened;
}

const tools = {
  // All lines differ, because repeated lines are collapsed.
  pods: () => Array.from({ length: 1_000 }, (_, pod) => (pod * 2654435761).toString(36)).join('\n'),
  broken: () => Promise.reject(new Error('the tool is broken')),
};

/** Creates a completed, a cancelled, a running and a queued session. */
async function investigate(url) {
  const completed = await submitAlert(url, '{"pod": "shop-checkout", "severity": "critical"}');
  await waitForEnd(url, completed);
  const question = { content: 'What now?' };
  await fetch(`${url}/api/v1/sessions/${completed}/chat/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  const cancelled = await submitAlert(url, 'This one runs forever.');
  await waitForChunk(url, cancelled);
  await fetch(`${url}/api/v1/sessions/${cancelled}/cancel`, { method: 'POST' });
  await waitForEnd(url, cancelled);
  const running = await submitAlert(url, 'This one runs forever, too.');
  await waitForChunk(url, running);
  await submitAlert(url, 'This one is queued.');
  return { completed, cancelled, running };
}

describe('accessibility', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('has no serious violation on any page, light or dark', async (test) => {
    const { url } = await startTestServer(test, { script, tools, workers: 1 });
    const { completed, cancelled, running } = await investigate(url);
    const { alert_id: alertId } = await getJson(url, `/api/v1/sessions/${completed}`);
    const { alert_id: runningId } = await getJson(url, `/api/v1/sessions/${running}`);
    const pages = [
      ['the sessions', '/', rows],
      ['a search without a result', '/?q=nowhere', heading('No sessions match these filters')],
      ['a running session', `/sessions/${running}`, (page) => streamedText(page).waitFor()],
      ['a completed session', `/sessions/${completed}`, expandedSession],
      ['a cancelled session', `/sessions/${cancelled}`, (page) => waitForStatus(page, 'Cancelled')],
      ['an unknown session', '/sessions/0', heading(/./)],
      ['the trace', `/sessions/${completed}/trace`, selectedCall],
      ['the form with an error', '/submit', invalidForm],
      ['the progress', `/submit/${runningId}`, (page) => page.getByRole('progressbar').waitFor()],
      ['the end of the progress', `/submit/${alertId}`, heading('Analysis')],
      ['the system', '/system', system],
      ['an unknown page', '/nowhere', heading('Page not found')],
    ];
    const checkAll = (options, check) =>
      visit(browser, test, { url, ...options }, async (page) => {
        for (const [name, path, waitUntilReady] of pages) {
          await page.goto(url + path);
          await waitUntilReady(page);
          await check(page, `${name} in ${JSON.stringify(options)}`);
        }
      });
    await checkAll({ colorScheme: 'light' }, assertAccessible);
    await checkAll({ colorScheme: 'dark', viewport: PHONE }, assertContrast);
  });
});

const heading = (name) => (page) => page.getByRole('heading', { name }).first().waitFor();

async function rows(page) {
  await page.getByRole('heading', { name: 'Running · 1' }).waitFor();
  await page.getByRole('heading', { name: 'Queued · 1' }).waitFor();
  await page.getByRole('table', { name: 'Sessions' }).getByRole('link').nth(3).waitFor();
}

async function expandedSession(page) {
  await finalAnalysis(page).waitFor();
  await page
    .getByRole('log', { name: 'Chat' })
    .getByRole('article', { name: /^TARSy/ })
    .waitFor();
  await page.getByRole('button', { name: 'Show full thought' }).click();
  await page.getByRole('button', { name: /^cluster\.pods/ }).click();
  await page.getByRole('button', { name: /^Show more/ }).click();
  await page.getByRole('searchbox', { name: 'Find in this session' }).fill('memory');
}

async function selectedCall(page) {
  await page.getByRole('region', { name: 'Calls' }).getByText('cluster.pods').click();
  await page.getByRole('region', { name: 'Selected call' }).getByRole('tabpanel').waitFor();
}

async function invalidForm(page) {
  await page.getByRole('checkbox', { name: 'Select servers for this alert' }).check();
  await page.getByRole('checkbox', { name: 'cluster', exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Alert data' }).fill('   ');
  await page.getByRole('button', { name: 'Submit alert' }).click();
  await page.locator('[aria-invalid=true]').waitFor();
}

async function system(page) {
  await page.getByRole('article', { name: 'cluster' }).getByText('2 tools').click();
  await heading('Configuration')(page);
}
