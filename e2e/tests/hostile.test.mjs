/** Hostile text from alerts, models and tools is shown as text and has no effect. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getJson, submitAlert, waitForEnd } from '../api.mjs';
import { launchBrowser, PHONE, visit } from '../browser.mjs';
import { resultsIn, textDelta, thinkingDelta, toolCallDelta } from '../model.mjs';
import { assertNoHorizontalScroll, finalAnalysis } from '../pages.mjs';
import { startTestServer } from '../testServer.mjs';

/** A host that does not exist; any request to it is a failure. */
const OTHER_SITE = 'http://other-site.invalid';
const EXPLOIT = "globalThis.taken='yes';alert('taken')";

const MARKUP = [
  `<script>${EXPLOIT}</script>`,
  `<img src="${OTHER_SITE}/tag.png" onerror="${EXPLOIT}">`,
  `<svg onload="${EXPLOIT}"><iframe srcdoc="<script>parent.${EXPLOIT}</script>"></iframe>`,
  `<a href="javascript:${EXPLOIT}">a tag</a><form action="${OTHER_SITE}"><input name="taken"></form>`,
  `<style>@import url("${OTHER_SITE}/style.css"); main { display: none }</style>`,
  `<meta http-equiv="refresh" content="0;url=${OTHER_SITE}">`,
].join('\n\n');

/** The URLs contain no spaces, so that Markdown parses them as links. */
const MARKDOWN = [
  '# A heading [without an end',
  `[a script](javascript:${EXPLOIT}) [data](data:text/html,<script>${EXPLOIT}</script>)`,
  `![a picture](${OTHER_SITE}/markdown.png) [another site](${OTHER_SITE}/page)`,
  '| a | table\n|--\n| **broken `and `` broken ~~again\n```\nwithout an end',
].join('\n\n');

const BIDI_TEXT = 'before \u202e\u2067 turned around \u200f after';
/** Without repetitions, at which a reply is cut. */
const HUGE_LINE = Array.from({ length: 75_000 }, (_, index) => index.toString(36)).join('');
const SHORT = `${MARKUP}\n\n${BIDI_TEXT}\n\n${MARKDOWN}`;
const LONG = `${SHORT}\n\n${HUGE_LINE}\n\n${SHORT}`;

async function* script({ model, messages }) {
  if (model !== 'investigation') return yield textDelta(SHORT);
  if (resultsIn({ messages }) > 0) return yield textDelta(SHORT);
  yield thinkingDelta(SHORT);
  yield textDelta(LONG);
  yield toolCallDelta(['cluster__pods', { namespace: SHORT }]);
}

/** Returns everything on the page that only hostile markup could have created. */
const effects = (page) =>
  page.evaluate((otherSite) => {
    const main = document.querySelector('main');
    const elements = 'script, img, iframe, style, meta, [onerror], [onload], form, input[name=taken]';
    const links = [...main.querySelectorAll('a')];
    return {
      taken: globalThis.taken,
      elements: [...main.querySelectorAll(elements)].map((element) => element.outerHTML.slice(0, 200)),
      actions: links.map((link) => link.href).filter((href) => /^(javascript|data):/i.test(href)),
      unmarked: links
        .filter((link) => link.href.startsWith(otherSite))
        .filter((link) => link.rel !== 'noopener noreferrer nofollow' || link.target !== '_blank')
        .map((link) => link.outerHTML),
    };
  }, OTHER_SITE);

async function assertHarmless(page, name) {
  const none = { taken: undefined, elements: [], actions: [], unmarked: [] };
  assert.deepEqual(await effects(page), none, name);
  await assertNoHorizontalScroll(page);
}

/** Returns elements whose bidirectional control characters affect text outside of them. */
const elementsWithBidiLeak = (page) =>
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

  it('is shown as text and has no effect', async (test) => {
    const { url } = await startTestServer(test, { script, tools: { pods: () => LONG } });
    const sessionId = await submitAlert(url, LONG);
    await waitForEnd(url, sessionId);
    await fetch(`${url}/api/v1/sessions/${sessionId}/chat/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: SHORT.slice(0, 2000) }),
    });
    const { alert_id: alertId } = await getJson(url, `/api/v1/sessions/${sessionId}`);
    for (const viewport of [undefined, PHONE]) {
      await visit(browser, test, { url, viewport }, async (page) => {
        page.on('dialog', (dialog) => assert.fail(`dialog opened: ${dialog.message()}`));
        page.on('popup', (popup) => assert.fail(`popup opened: ${popup.url()}`));
        await page.goto(`${url}/?q=script`);
        await page.getByRole('table', { name: 'Sessions' }).getByRole('link').waitFor();
        await assertHarmless(page, 'the list');

        await page.goto(`${url}/sessions/${sessionId}`);
        await finalAnalysis(page).getByText(`<script>${EXPLOIT}</script>`).waitFor();
        await finalAnalysis(page).getByText('a script').first().click();
        await finalAnalysis(page).getByText('data', { exact: true }).click();
        const chat = page.getByRole('log', { name: 'Chat' });
        await chat.getByRole('article', { name: /^TARSy/ }).waitFor();
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        await expandAll(page);
        assert.deepEqual(await elementsWithBidiLeak(page), []);
        await assertHarmless(page, 'the session');

        await page.goto(`${url}/sessions/${sessionId}/trace`);
        await page.getByRole('region', { name: 'Calls' }).getByText('cluster.pods').click();
        const call = page.getByRole('region', { name: 'Selected call' });
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

  it('cannot run scripts because of the content security policy', async (test) => {
    const { url } = await startTestServer(test, { script });
    const policy = (await fetch(url)).headers.get('content-security-policy');
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy.match(/script-src[^;]*/)?.[0] ?? '', /unsafe/);
  });
});

/** Expands all thoughts and tool results. */
async function expandAll(page) {
  for (const name of ['Show full thought', /^cluster\.pods/, /^Show more/]) {
    const closed = page.getByRole('button', { name, expanded: false });
    for (let remaining = await closed.count(); remaining > 0; remaining -= 1) await closed.first().click();
  }
}
