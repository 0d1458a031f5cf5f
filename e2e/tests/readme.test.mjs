/**
 * Follows "Five minutes" of README.md word by word. The steps, their commands and what is to be seen are read from the page; a
 * step that is written in words this test does not know fails it. Only the port and the place of the program are others, and the last
 * recording speaks faster: the first was waited for already.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { streaming } from '../api.mjs';
import { launchBrowser, visit } from '../browser.mjs';
import { finalAnalysis, statusSays, writing } from '../pages.mjs';
import { runBare, startDemo } from '../tarsy.mjs';

const page = (name) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
/** The recording speaks for half a minute; the machine may have other things to do. */
const ENDS_WITHIN_MS = 90_000;

/** The steps of the walk: the words of each in one line, and its command if it has one. */
function stepsOf(readme) {
  const [, walk] = readme.match(/\n## Five minutes\n(.*?)\n## /s);
  return walk
    .split(/\n(?=\d+\. )/)
    .filter((part) => /^\d+\. /.test(part))
    .map((part) => {
      const command = part.match(/```sh\n(.*?)```/s)?.[1].trim();
      // What comes after the last step is not a part of it: it is not indented.
      const own = part.split(/\n\n(?! )/)[0].replace(/```sh\n.*?```/s, '');
      return {
        words: own
          .replace(/^\d+\. /, '')
          .replace(/\s+/g, ' ')
          .trim(),
        command,
      };
    });
}

/** What `make demo` runs once everything is built. */
async function commandOfMakeDemo() {
  const [, recipe] = (await page('Makefile')).match(/\ndemo:[^\n]*\n((?:\t[^\n]*\n)+)/);
  const [build, run, ...more] = recipe.trim().split(/\n\t/);
  assert.deepEqual(more, []);
  assert.equal(build, 'cargo build --release --locked --bin tarsy');
  const [, words] = run.match(/^"\$\$\{CARGO_TARGET_DIR:-target\}\/release\/tarsy" (.*)$/);
  return words.split(' ');
}

/** What each kind of step is written like, and how it is followed. The words in backticks are its parameters. */
const WAYS = [
  [
    /^Run `make demo`\. After the build it prints `listening on (.+?)`, and after `(.+?)` the URL of a running investigation\.$/,
    async (walk, [address, mark]) => {
      const help = await runBare(['demo', '--help']);
      assert.ok(help.includes(`[default: ${new URL(address).host}]`), `it does not listen on ${address}`);
      walk.here = (text) => text.replace(address, walk.url);
      walk.began = performance.now();
      walk.demo = await startDemo(walk.test, [...(await commandOfMakeDemo()), '--listen', '127.0.0.1:0']);
      walk.url = walk.demo.welcome.match(/^listening on (http:\/\/\S+)$/m)[1];
      walk.address = walk.demo.welcome.split(mark)[1].trim().split(/\s/)[0];
      const sessionId = walk.address.split('/').at(-1);
      walk.firstWords = streaming(walk.url, sessionId).then(() => performance.now() - walk.began);
    },
  ],
  [
    /^Open that URL\. Two agents investigate the cluster in parallel, `(\w+)` and `(\w+)`, and their text is streamed\.$/,
    async (walk, agents) => {
      await writing(walk.page).first().waitFor();
      const inPage = performance.now() - walk.began;
      const inStream = await walk.firstWords;
      walk.test.diagnostic(
        `first words after ${Math.round(inStream)} ms, in the page after ${Math.round(inPage)} ms`,
      );
      for (const agent of agents) await walk.page.getByText(agent).first().waitFor();
    },
  ],
  [
    /^Wait half a minute, until the status is `(\w+)`\. The final analysis names the root cause: `(.+)`\.$/,
    async (walk, [status, cause]) => {
      walk.page.setDefaultTimeout(ENDS_WITHIN_MS);
      await statusSays(walk.page, status);
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
      const { session_id } = JSON.parse(await shell(walk.here(command)));
      await walk.page.goto(walk.here(list));
      const first = walk.page.getByRole('table', { name: 'Sessions' }).getByRole('link').first();
      await walk.page.locator(`a[href*="${session_id}"]`).first().waitFor();
      assert.match(await first.getAttribute('href'), new RegExp(session_id));
      await streaming(walk.url, session_id);
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
      const [program, ...words] = command.split(' ');
      assert.equal(program, 'target/release/tarsy');
      assert.ok((await runBare([...words, '--pace', 'fast'])).includes(cause));
    },
  ],
];

async function shell(command) {
  return (await promisify(execFile)('/bin/sh', ['-euc', command])).stdout;
}

async function follow(walk, { words, command }) {
  for (const [shape, way] of WAYS) {
    const parameters = words.match(shape)?.slice(1);
    if (parameters) return way(walk, parameters, command);
  }
  assert.fail(`README.md has a step that this test does not know how to follow: ${words}`);
}

describe('the first five minutes', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  it('begin with commands that there are', async () => {
    const targets = await page('Makefile');
    const named = [...(await page('README.md')).matchAll(/\bmake ([a-z-]+)\b/g)].map(([, target]) => target);
    assert.ok(named.includes('demo') && named.includes('test'));
    for (const target of named) assert.match(targets, new RegExp(`^${target}:`, 'm'), `make ${target}`);
  });

  it('are as README.md tells them', async (test) => {
    const [start, ...steps] = stepsOf(await page('README.md'));
    assert.equal(steps.length + 1, WAYS.length, 'a step is missing');
    const walk = { test };
    await follow(walk, start);
    await visit(browser, test, { url: walk.address }, async (page) => {
      walk.page = page;
      for (const step of steps) await follow(walk, step);
    });
  });
});
