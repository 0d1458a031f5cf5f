/** A server with authentication: signing in, permissions of a viewer, signing out. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertAccessible } from '../accessibility.mjs';
import { submitAlert } from '../api.mjs';
import { launchBrowser, visit } from '../browser.mjs';
import { createGate, textDelta } from '../model.mjs';
import { streamedText, waitForConnection, waitForStatus } from '../pages.mjs';
import { startTestServer } from '../testServer.mjs';

async function* script() {
  yield textDelta('I look at it.');
  await createGate().opened;
}

const start = (test) => startTestServer(test, { script, system: '{ access: { tokens: true } }' });
const tokenOf = (tarsy, name, role) => tarsy.run('token', 'create', name, '--role', role);
const form = (page) => page.getByRole('form', { name: 'Sign in' });

async function signIn(page, token) {
  await form(page).getByLabel('Token').fill(token);
  await form(page).getByRole('button', { name: 'Sign in' }).click();
}

/** Records live messages from now on; the returned function waits for one that contains `text`. */
function watchLiveMessages(page) {
  const received = [];
  let notify = () => {};
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      received.push(payload);
      notify();
    }),
  );
  return async (text) => {
    while (!received.some((payload) => payload.includes(text))) {
      await new Promise((resolve) => {
        notify = resolve;
      });
    }
  };
}

describe('access', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('requires a valid token and follows live messages after signing in', async (test) => {
    const tarsy = await start(test);
    const token = await tokenOf(tarsy, 'ann', 'operator');
    await visit(browser, test, { url: tarsy.url }, async (page) => {
      await form(page).waitFor();
      await assertAccessible(page, 'the sign-in page');
      await signIn(page, 'tarsy_unknown');
      await form(page).getByRole('alert').waitFor();
      await assertAccessible(page, 'the sign-in page with an error');

      const liveMessage = watchLiveMessages(page);
      await signIn(page, token);
      await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
      await page.getByText('ann', { exact: true }).waitFor();
      await waitForConnection(page, 'Connected');
      // Events before the subscription are not sent.
      await liveMessage('"subscribed"');
      const sessionId = await submitAlert(tarsy.url, 'It restarts.', { authorization: `Bearer ${token}` });
      await liveMessage('session.status');
      await page.getByRole('article', { name: 'PodCrash' }).getByRole('link').click();
      await streamedText(page).waitFor();
      assert.equal(new URL(page.url()).pathname, `/sessions/${sessionId}`);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel session' }).click();
      await waitForStatus(page, 'Cancelled');

      await page.getByRole('button', { name: 'Sign out' }).click();
      await form(page).waitFor();
      await page.reload();
      await form(page).waitFor();
      assert.equal((await page.request.get(`${tarsy.url}/api/v1/sessions`)).status(), 401);
    });
  });

  it('hides actions from a viewer', async (test) => {
    const tarsy = await start(test);
    const operator = await tokenOf(tarsy, 'ann', 'operator');
    const viewer = await tokenOf(tarsy, 'vic', 'viewer');
    const sessionId = await submitAlert(tarsy.url, 'It restarts.', { authorization: `Bearer ${operator}` });
    await visit(browser, test, { url: `${tarsy.url}/sessions/${sessionId}` }, async (page) => {
      await signIn(page, viewer);
      // Actions are hidden once the role is loaded.
      await page.getByText('vic', { exact: true }).waitFor();
      await streamedText(page).waitFor();
      for (const name of ['Cancel', 'Resubmit', 'Submit']) {
        const control = page.getByRole('button', { name, exact: true });
        assert.equal(await control.or(page.getByRole('link', { name, exact: true })).count(), 0, name);
      }
      await page.getByRole('link', { name: 'Trace' }).waitFor();
      const question = page.getByRole('textbox', { name: 'Ask about this investigation' });
      assert.ok(await question.isDisabled(), 'a viewer can ask a question');
      await page.goto(`${tarsy.url}/submit`);
      await page.getByText('requires the operator role').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Submit alert' }).count(), 0);
    });
  });
});
