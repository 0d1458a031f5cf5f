/**
 * Follows the "Five minutes" section of README.md. Steps, commands and expected output are read from the
 * page; a step that matches none of the patterns below fails the test. Only the port and the path of the
 * binary differ, and the last recording is played faster.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { waitForChunk } from '../api.mjs';
import { launchBrowser, visit } from '../browser.mjs';
import { finalAnalysis, streamedText, waitForStatus } from '../pages.mjs';
import { runWithoutSettings, startDemo } from '../tarsy.mjs';

const page = (name) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
/** The recording takes half a minute; the machine may be busy. */
const ENDS_WITHIN_MS = 90_000;

/** Returns the steps: the text of each on one line, and its command if it has one. */
function stepsOf(readme) {
  const [, section] = readme.match(/\n## Five minutes\n(.*?)\n## /s);
  return section
    .split(/\n(?=\d+\. )/)
    .filter((part) => /^\d+\. /.test(part))
    .map((part) => {
      const command = part.match(/```sh\n(.*?)```/s)?.[1].trim();
      // Text after the last step is not indented and does not belong to it.
      const step = part.split(/\n\n(?! )/)[0].replace(/```sh\n.*?```/s, '');
      return {
        text: step
          .replace(/^\d+\. /, '')
          .replace(/\s+/g, ' ')
          .trim(),
        command,
      };
    });
}

/** Returns the arguments that `make demo` runs after the build. */
async function commandOfMakeDemo() {
  const [, recipe] = (await page('Makefile')).match(/\ndemo:[^\n]*\n((?:\t[^\n]*\n)+)/);
  const [build, run, ...more] = recipe.trim().split(/\n\t/);
  assert.deepEqual(more, []);
  assert.equal(build, 'cargo build --release --locked --bin tarsy');
  const [, args] = run.match(/^"\$\$\{CARGO_TARGET_DIR:-target\}\/release\/tarsy" (.*)$/);
  return args.split(' ');
}

/** A pattern for each kind of step, and how to run it. Values in backticks are its parameters. */
const STEPS = [
  [
    /^Run `make demo`\. After the build it prints `listening on (.+?)`, and after `(.+?)` the URL of a running investigation\.$/,
    async (walk, [address, mark]) => {
      const help = await runWithoutSettings(['demo', '--help']);
      assert.ok(
        help.includes(`[default: ${new URL(address).host}]`),
        `the demo does not listen on ${address}`,
      );
      walk.localized = (text) => text.replace(address, walk.url);
      walk.startedAt = performance.now();
      walk.demo = await startDemo(walk.test, [...(await commandOfMakeDemo()), '--listen', '127.0.0.1:0']);
      walk.url = walk.demo.welcome.match(/^listening on (http:\/\/\S+)$/m)[1];
      walk.address = walk.demo.welcome.split(mark)[1].trim().split(/\s/)[0];
      const sessionId = walk.address.split('/').at(-1);
      walk.firstChunk = waitForChunk(walk.url, sessionId).then(() => performance.now() - walk.startedAt);
    },
  ],
  [
    /^Open that URL\. Two agents investigate the cluster in parallel, `(\w+)` and `(\w+)`, and their text is streamed\.$/,
    async (walk, agents) => {
      await streamedText(walk.page).first().waitFor();
      const inPage = performance.now() - walk.startedAt;
      const inStream = await walk.firstChunk;
      walk.test.diagnostic(
        `first chunk after ${Math.round(inStream)} ms, in the page after ${Math.round(inPage)} ms`,
      );
      for (const agent of agents) await walk.page.getByText(agent).first().waitFor();
    },
  ],
  [
    /^Wait half a minute, until the status is `(\w+)`\. The final analysis names the root cause: `(.+)`\.$/,
    async (walk, [status, cause]) => {
      walk.page.setDefaultTimeout(ENDS_WITHIN_MS);
      await waitForStatus(walk.page, status);
      await finalAnalysis(walk.page).getByText(cause).first().waitFor();
    },
  ],
  [
    /^Ask in the chat `(.+)` and the reply contains `(.+)`\.$/,
    async ({ page }, [question, answer]) => {
      await page.getByRole('textbox', { name: 'Ask about this investigation' }).fill(question);
      await page.keyboard.press('Enter');
      await page.getByRole('log', { name: 'Chat' }).getByText(answer).waitFor();
    },
  ],
  [
    /^Send an alert of your own from another terminal: The list on `(.+)` shows it at the top, and the agents investigate the same cluster again\.$/,
    async (walk, [list], command) => {
      const { session_id } = JSON.parse(await shell(walk.localized(command)));
      await walk.page.goto(walk.localized(list));
      const first = walk.page.getByRole('table', { name: 'Sessions' }).getByRole('link').first();
      await walk.page.locator(`a[href*="${session_id}"]`).first().waitFor();
      assert.match(await first.getAttribute('href'), new RegExp(session_id));
      await waitForChunk(walk.url, session_id);
    },
  ],
  [
    /^Stop the demo with Ctrl-C\. It deletes its files\.$/,
    async ({ demo }) => {
      assert.equal(await demo.interrupt(), 0);
      const files = demo.welcome.match(/Files:\s+(\S+),/)[1];
      await assert.rejects(readFile(files), { code: 'ENOENT' });
    },
  ],
  [
    /^Run another incident in the terminal: The analysis names `(.+)` as the cause\.$/,
    async (_, [cause], command) => {
      const [program, ...args] = command.split(' ');
      assert.equal(program, 'target/release/tarsy');
      assert.ok((await runWithoutSettings([...args, '--pace', 'fast'])).includes(cause));
    },
  ],
];

async function shell(command) {
  return (await promisify(execFile)('/bin/sh', ['-euc', command])).stdout;
}

async function follow(walk, { text, command }) {
  for (const [pattern, run] of STEPS) {
    const parameters = text.match(pattern)?.slice(1);
    if (parameters) return run(walk, parameters, command);
  }
  assert.fail(`README.md has a step that matches no pattern of this test: ${text}`);
}

describe('README.md', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('names only make targets that exist', async () => {
    const targets = await page('Makefile');
    const named = [...(await page('README.md')).matchAll(/\bmake ([a-z-]+)\b/g)].map(([, target]) => target);
    assert.ok(named.includes('demo') && named.includes('test'));
    for (const target of named) assert.match(targets, new RegExp(`^${target}:`, 'm'), `make ${target}`);
  });

  it('has five minutes of steps that work as written', async (test) => {
    const [start, ...steps] = stepsOf(await page('README.md'));
    assert.equal(steps.length + 1, STEPS.length, 'a step is missing');
    const walk = { test };
    await follow(walk, start);
    await visit(browser, test, { url: walk.address }, async (page) => {
      walk.page = page;
      for (const step of steps) await follow(walk, step);
    });
  });
});
