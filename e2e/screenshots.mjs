/**
 * Draws the pictures of docs/images: every page of the dashboard, in light and in dark, of the real program that tells the
 * story in `story/`, and an investigation in a terminal. The history was copied into the past; everything else happens while the
 * pictures are made.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ended, streaming } from './api.mjs';
import { launchBrowser } from './browser.mjs';
import { finalAnalysis, writing } from './pages.mjs';
import { ageSessions } from './record.mjs';
import { ALERT, configuration, kubernetesTools, prometheusTools } from './story/setting.mjs';
import { runColoured, startTarsy } from './tarsy.mjs';
import { terminalPage } from './terminal.mjs';
import { startTools } from './tools.mjs';

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const VIEWPORT = { width: 1280, height: 800 };
const PEOPLE = ['alertmanager', 'alertmanager', 'ann', 'alertmanager', 'bo'];
const ORDINARY = ['PodRestarting', 'DiskAlmostFull', 'CertificateExpiresSoon', 'PodRestarting', 'QueueGrows'];
const HISTORY = 24;

/** What has to be undone at the end, as a test of Node's runner keeps it. */
const cleanups = [];
const run = { after: (cleanup) => cleanups.unshift(cleanup) };

try {
  await drawAll(await tellStory());
} finally {
  for (const cleanup of cleanups) await cleanup();
}

async function tellStory() {
  const kubernetes = await startTools(run, kubernetesTools, 'kubernetes-mcp');
  const prometheus = await startTools(run, prometheusTools, 'prometheus-mcp');
  const cassette = await readFile(new URL('story/shop.yaml', import.meta.url), 'utf8');
  const files = configuration({ kubernetes: kubernetes.url, prometheus: prometheus.url });
  const tarsy = await startTarsy(run, { ...files, 'shop.yaml': cassette });
  const { url } = tarsy;
  for (let number = 0; number < HISTORY; number += 1) {
    const type = number % 9 === 4 ? 'BackupFailed' : ORDINARY[number % ORDINARY.length];
    await ended(url, await submit(url, type, PEOPLE[number % PEOPLE.length]));
  }
  const whole = await submit(url, 'HighErrorRate', 'alertmanager', ALERT);
  await ended(url, whole);

  await tarsy.stop();
  await ageSessions(tarsy.database);
  await tarsy.configure('shop.yaml', cassette.replaceAll(/after_ms: \d+ # or never/g, 'after_ms: 3600000 #'));
  await tarsy.startAgain();
  await submit(url, 'QueueGrows', 'alertmanager');
  const live = await submit(url, 'HighErrorRate', 'alertmanager', ALERT);
  await streaming(url, live);
  await submit(url, 'DiskAlmostFull', 'alertmanager');
  await submit(url, 'PodRestarting', 'bo');
  return { url, whole, live };
}

async function submit(url, alertType, author, data = 'It is night.') {
  const answer = await fetch(`${url}/api/v1/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ alert_type: alertType, author, data }),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.json()).session_id;
}

async function drawAll({ url, whole, live }) {
  const pictures = [
    ['session-live', `/sessions/${live}`, (page) => writing(page).getByText('Root cause').waitFor()],
    ['sessions', '/', (page) => page.getByRole('heading', { name: 'Queued · 2' }).waitFor()],
    ['session', `/sessions/${whole}`, (page) => finalAnalysis(page).getByRole('table').waitFor()],
    ['trace', `/sessions/${whole}/trace`, chooseCall],
    ['submit', '/submit', fillForm],
    ['system', '/system', (page) => page.getByRole('article', { name: 'prometheus' }).waitFor()],
  ];
  const browser = await launchBrowser();
  run.after(() => browser.close());
  for (const colorScheme of ['light', 'dark']) {
    const look = { viewport: VIEWPORT, colorScheme, locale: 'en-GB', reducedMotion: 'reduce' };
    const context = await browser.newContext(look);
    const page = await context.newPage();
    for (const [name, path, isThere] of pictures) {
      await page.goto(url + path);
      await isThere(page);
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: `${IMAGES}${name}-${colorScheme}.png` });
    }
    await context.close();
  }
  await drawTerminal(browser);
}

/** How an investigation begins in a terminal, and its report. What is between them is left out. */
async function drawTerminal(browser) {
  const command = ['investigate', '--incident', 'checkout-oom', '--pace', 'fast'];
  const lines = (await runColoured(command)).split('\n');
  const report = lines.findIndex((line) => line.startsWith('# '));
  const shown = [
    ...lines.slice(0, 13),
    '  …',
    ...lines.slice(report - 4, report),
    '',
    ...lines.slice(report, report + 11),
  ];
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.setContent(terminalPage(`tarsy ${command.join(' ')}`, shown.join('\n')));
  await page.screenshot({ path: `${IMAGES}terminal.png`, fullPage: true });
  await page.close();
}

async function chooseCall(page) {
  await page.getByRole('region', { name: 'Calls' }).getByText('kubernetes.pod_log').click();
  const call = page.getByRole('region', { name: 'The chosen call' });
  await call.getByText('connection pool exhausted').first().waitFor();
}

async function fillForm(page) {
  await page.getByRole('combobox', { name: 'Alert type' }).selectOption('HighErrorRate');
  const pretty = JSON.stringify(JSON.parse(ALERT), null, 2);
  await page.getByRole('textbox', { name: 'Alert data' }).fill(pretty);
  await page.getByRole('checkbox', { name: 'Choose them for this alert' }).check();
  await page.getByRole('checkbox', { name: 'kubernetes', exact: true }).check();
  await page.getByText('JSON').first().waitFor();
}
