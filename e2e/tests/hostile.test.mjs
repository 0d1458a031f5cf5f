/** Texts of alerts, models and tools that want to be more than text. They are shown, and do nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ended, getJson, submitAlert } from '../api.mjs';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { calls, resultsIn, says, thinks } from '../model.mjs';
import { assertNoSidewaysScrolling, finalAnalysis } from '../pages.mjs';
import { startSetting } from '../setting.mjs';

/** Nobody lives there; whoever is asked for it has been asked too much. */
const STRANGER = 'http://stranger.invalid';
const TAKE = "globalThis.taken='yes';alert('taken')";

const MARKUP = [
  `<script>${TAKE}</script>`,
  `<img src="${STRANGER}/tag.png" onerror="${TAKE}">`,
  `<svg onload="${TAKE}"><iframe srcdoc="<script>parent.${TAKE}</script>"></iframe>`,
  `<a href="javascript:${TAKE}">a tag</a><form action="${STRANGER}"><input name="taken"></form>`,
  `<style>@import url("${STRANGER}/style.css"); main { display: none }</style>`,
  `<meta http-equiv="refresh" content="0;url=${STRANGER}">`,
].join('\n\n');

/** The addresses are short of blanks, so that they count as links of Markdown. */
const MARKDOWN = [
  '# A heading [without an end',
  `[a script](javascript:${TAKE}) [data](data:text/html,<script>${TAKE}</script>)`,
  `![a picture](${STRANGER}/markdown.png) [a stranger](${STRANGER}/page)`,
  '| a | table\n|--\n| **broken `and `` broken ~~again\n```\nwithout an end',
].join('\n\n');

const TURNED = 'before \u202e\u2067 turned around \u200f after';
const HUGE_LINE = 'x'.repeat(300_000);
const SHORT = `${MARKUP}\n\n${TURNED}\n\n${MARKDOWN}`;
const LONG = `${SHORT}\n\n${HUGE_LINE}\n\n${SHORT}`;

async function* script({ model, messages }) {
  if (model !== 'investigates') return yield says(SHORT);
  if (resultsIn({ messages }) > 0) return yield says(SHORT);
  yield thinks(SHORT);
  yield says(LONG);
  yield calls(['cluster__pods', { namespace: SHORT }]);
}

/** What the page has that only hostile markup could have brought. */
const traces = (page) =>
  page.evaluate((stranger) => {
    const main = document.querySelector('main');
    const elements = 'script, img, iframe, style, meta, [onerror], [onload], form, input[name=taken]';
    const links = [...main.querySelectorAll('a')];
    return {
      taken: globalThis.taken,
      elements: [...main.querySelectorAll(elements)].map((element) => element.outerHTML.slice(0, 200)),
      actions: links.map((link) => link.href).filter((href) => /^(javascript|data):/i.test(href)),
      unmarked: links
        .filter((link) => link.href.startsWith(stranger))
        .filter((link) => link.rel !== 'noopener noreferrer nofollow' || link.target !== '_blank')
        .map((link) => link.outerHTML),
    };
  }, STRANGER);

async function assertHarmless(page, name) {
  const nothing = { taken: undefined, elements: [], actions: [], unmarked: [] };
  assert.deepEqual(await traces(page), nothing, name);
  await assertNoSidewaysScrolling(page);
}

/** A mark that turns text around must end where its text ends. */
const turnsOthersAround = (page) =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    const isOpen = (element) => getComputedStyle(element).unicodeBidi === 'normal';
    const found = [];
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode;
      if (textContent.includes('\u202e') && isOpen(parentElement)) found.push(parentElement.outerHTML);
    }
    return found;
  });

describe('hostile content', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('is shown as text and does nothing', async (test) => {
    const { url } = await startSetting(test, { script, tools: { pods: () => LONG } });
    const sessionId = await submitAlert(url, LONG);
    await ended(url, sessionId);
    await fetch(`${url}/api/v1/sessions/${sessionId}/chat/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: SHORT.slice(0, 2000) }),
    });
    const { alert_id: alertId } = await getJson(url, `/api/v1/sessions/${sessionId}`);
    for (const viewport of [undefined, PHONE]) {
      await visit(browser, test, { url, viewport }, async (page) => {
        page.on('dialog', (dialog) => assert.fail(`it said ${dialog.message()}`));
        page.on('popup', (popup) => assert.fail(`it opened ${popup.url()}`));
        await page.goto(`${url}/?q=script`);
        await page.getByRole('table', { name: 'Sessions' }).getByRole('link').waitFor();
        await assertHarmless(page, 'the list');

        await page.goto(`${url}/sessions/${sessionId}`);
        await finalAnalysis(page).getByText(`<script>${TAKE}</script>`).waitFor();
        await finalAnalysis(page).getByText('a script').first().click();
        await finalAnalysis(page).getByText('data', { exact: true }).click();
        const chat = page.getByRole('log', { name: 'Chat' });
        await chat.getByRole('article', { name: /^TARSy/ }).waitFor();
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        await openWhatIsClosed(page);
        assert.deepEqual(await turnsOthersAround(page), []);
        await assertHarmless(page, 'the session');

        await page.goto(`${url}/sessions/${sessionId}/trace`);
        await page.getByRole('region', { name: 'Calls' }).getByText('cluster.pods').click();
        const call = page.getByRole('region', { name: 'The chosen call' });
        await call.getByText('onerror').first().waitFor();
        for (const view of ['Raw request', 'Raw response']) {
          await call.getByRole('tab', { name: view }).click();
          await call.getByText('onerror').first().waitFor();
        }
        await assertHarmless(page, 'the trace');

        await page.goto(`${url}/submit/${alertId}`);
        await page.getByRole('region', { name: 'Analysis' }).getByText('onerror').first().waitFor();
        await assertHarmless(page, 'the progress');
      });
    }
  });

  it('is forbidden to run by the server as well', async (test) => {
    const { url } = await startSetting(test, { script });
    const policy = (await fetch(url)).headers.get('content-security-policy');
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy.match(/script-src[^;]*/)?.[0] ?? '', /unsafe/);
  });
});

/** Thoughts and results of tools, all in the page at once. */
async function openWhatIsClosed(page) {
  for (const name of ['Show the whole thought', /^cluster\.pods/, /^Show more/]) {
    const closed = page.getByRole('button', { name, expanded: false });
    for (let left = await closed.count(); left > 0; left -= 1) await closed.first().click();
  }
}
