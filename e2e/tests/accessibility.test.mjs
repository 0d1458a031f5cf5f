/** Every page in every state that matters, in light and in dark, as axe-core judges it. */
import { after, before, describe, it } from 'node:test';
import { assertAccessible, assertReadable } from '../accessibility.mjs';
import { ended, getJson, streaming, submitAlert } from '../api.mjs';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { calls, createGate, resultsIn, says, thinks } from '../model.mjs';
import { finalAnalysis, statusSays, writing } from '../pages.mjs';
import { startSetting } from '../setting.mjs';

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
  if (model !== 'investigates') return yield says(ANALYSIS);
  if (resultsIn({ messages }) === 0) {
    yield thinks(`The pods first. ${'Then their events, and what the events say. '.repeat(20)}`);
    return yield calls(['cluster__pods', { namespace: 'shop' }], ['cluster__broken', {}]);
  }
  yield says(ANALYSIS);
  if (JSON.stringify(messages).includes('without an end')) await createGate().opened;
}

const tools = {
  // No two lines are alike, or they would be told as one.
  pods: () => Array.from({ length: 1_000 }, (_, pod) => (pod * 2654435761).toString(36)).join('\n'),
  broken: () => Promise.reject(new Error('it is broken')),
};

/** Sessions of every kind: ended, cancelled, running and queued. */
async function investigate(url) {
  const whole = await submitAlert(url, '{"pod": "shop-checkout", "severity": "critical"}');
  await ended(url, whole);
  const question = { content: 'What now?' };
  await fetch(`${url}/api/v1/sessions/${whole}/chat/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  const cancelled = await submitAlert(url, 'This one goes on without an end.');
  await streaming(url, cancelled);
  await fetch(`${url}/api/v1/sessions/${cancelled}/cancel`, { method: 'POST' });
  await ended(url, cancelled);
  const running = await submitAlert(url, 'This one goes on without an end, too.');
  await streaming(url, running);
  await submitAlert(url, 'This one waits.');
  return { whole, cancelled, running };
}

describe('accessibility', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('has no serious fault on any page, light or dark', async (test) => {
    const { url } = await startSetting(test, { script, tools, workers: 1 });
    const { whole, cancelled, running } = await investigate(url);
    const { alert_id: alertId } = await getJson(url, `/api/v1/sessions/${whole}`);
    const { alert_id: runningId } = await getJson(url, `/api/v1/sessions/${running}`);
    const pages = [
      ['the sessions', '/', rows],
      ['a search without a result', '/?q=nowhere', heading('No session matches')],
      ['a running session', `/sessions/${running}`, (page) => writing(page).waitFor()],
      ['an ended session', `/sessions/${whole}`, everythingOpen],
      ['a cancelled session', `/sessions/${cancelled}`, (page) => statusSays(page, 'Cancelled')],
      ['a session that is not there', '/sessions/0', heading(/./)],
      ['the trace', `/sessions/${whole}/trace`, chosenCall],
      ['the form with a fault', '/submit', faultyForm],
      ['the progress', `/submit/${runningId}`, (page) => page.getByRole('progressbar').waitFor()],
      ['the end of the progress', `/submit/${alertId}`, heading('Analysis')],
      ['the system', '/system', system],
      ['no page', '/nowhere', heading('There is no page here')],
    ];
    const judgeAll = (look, judge) =>
      visit(browser, test, { url, ...look }, async (page) => {
        for (const [name, path, isThere] of pages) {
          await page.goto(url + path);
          await isThere(page);
          await judge(page, `${name} in ${JSON.stringify(look)}`);
        }
      });
    await judgeAll({ colorScheme: 'light' }, assertAccessible);
    await judgeAll({ colorScheme: 'dark', viewport: PHONE }, assertReadable);
  });
});

const heading = (name) => (page) => page.getByRole('heading', { name }).first().waitFor();

async function rows(page) {
  await page.getByRole('heading', { name: 'Running now · 1' }).waitFor();
  await page.getByRole('heading', { name: 'Queued · 1' }).waitFor();
  await page.getByRole('table', { name: 'Sessions' }).getByRole('link').nth(3).waitFor();
}

async function everythingOpen(page) {
  await finalAnalysis(page).waitFor();
  await page
    .getByRole('log', { name: 'Chat' })
    .getByRole('article', { name: /^TARSy/ })
    .waitFor();
  await page.getByRole('button', { name: 'Show the whole thought' }).click();
  await page.getByRole('button', { name: /^cluster\.pods/ }).click();
  await page.getByRole('button', { name: /^Show more/ }).click();
  await page.getByRole('searchbox', { name: 'Find in this session' }).fill('memory');
}

async function chosenCall(page) {
  await page.getByRole('region', { name: 'Calls' }).getByText('cluster.pods').click();
  await page.getByRole('region', { name: 'The chosen call' }).getByRole('tabpanel').waitFor();
}

async function faultyForm(page) {
  await page.getByRole('checkbox', { name: 'Choose them for this alert' }).check();
  await page.getByRole('checkbox', { name: 'cluster', exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Alert data' }).fill('   ');
  await page.getByRole('button', { name: 'Submit alert' }).click();
  await page.locator('[aria-invalid=true]').waitFor();
}

async function system(page) {
  await page.getByRole('article', { name: 'cluster' }).getByText('2 tools').click();
  await heading('Configuration')(page);
}
