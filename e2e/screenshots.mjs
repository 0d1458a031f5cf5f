/**
 * Takes the screenshots in docs/images: every page of the dashboard, light and dark, while the real server
 * plays the scenario in `scenario/`, and an investigation in a terminal. Only the timestamps of past sessions
 * are edited.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { waitForChunk, waitForEnd } from './api.mjs';
import { launchBrowser } from './browser.mjs';
import { ageSessions } from './database.mjs';
import { finalAnalysis, streamedText } from './pages.mjs';
import { ALERT, configuration, kubernetesTools, prometheusTools } from './scenario/config.mjs';
import { runColored, startTarsy } from './tarsy.mjs';
import { terminalPage } from './terminal.mjs';
import { startTools } from './tools.mjs';

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const VIEWPORT = { width: 1280, height: 800 };
const AUTHORS = ['alertmanager', 'alertmanager', 'ann', 'alertmanager', 'bo'];
const ROUTINE_ALERTS = [
  'PodRestarting',
  'DiskAlmostFull',
  'CertificateExpiresSoon',
  'PodRestarting',
  'QueueGrows',
];
const HISTORY = 24;

/** Cleanup functions, collected as by the test context of Node's runner. */
const cleanups = [];
const run = { after: (cleanup) => cleanups.unshift(cleanup) };

try {
  await takeAll(await runScenario());
} finally {
  for (const cleanup of cleanups) await cleanup();
}

async function runScenario() {
  const kubernetes = await startTools(run, kubernetesTools, 'kubernetes-mcp');
  const prometheus = await startTools(run, prometheusTools, 'prometheus-mcp');
  const cassette = await readFile(new URL('scenario/shop.yaml', import.meta.url), 'utf8');
  const files = configuration({ kubernetes: kubernetes.url, prometheus: prometheus.url });
  const tarsy = await startTarsy(run, { ...files, 'shop.yaml': cassette });
  const { url } = tarsy;
  for (let number = 0; number < HISTORY; number += 1) {
    const type = number % 9 === 4 ? 'BackupFailed' : ROUTINE_ALERTS[number % ROUTINE_ALERTS.length];
    await waitForEnd(url, await submit(url, type, AUTHORS[number % AUTHORS.length]));
  }
  const completed = await submit(url, 'HighErrorRate', 'alertmanager', ALERT);
  await waitForEnd(url, completed);

  await tarsy.stop();
  await ageSessions(tarsy.database);
  await tarsy.configure('shop.yaml', cassette.replaceAll(/after_ms: \d+ # replaced/g, 'after_ms: 3600000 #'));
  await tarsy.restart();
  await submit(url, 'QueueGrows', 'alertmanager');
  const live = await submit(url, 'HighErrorRate', 'alertmanager', ALERT);
  await waitForChunk(url, live);
  await submit(url, 'DiskAlmostFull', 'alertmanager');
  await submit(url, 'PodRestarting', 'bo');
  return { url, completed, live };
}

async function submit(url, alertType, author, data = 'It is night.') {
  const response = await fetch(`${url}/api/v1/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ alert_type: alertType, author, data }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()).session_id;
}

async function takeAll({ url, completed, live }) {
  const pages = [
    ['session-live', `/sessions/${live}`, (page) => streamedText(page).getByText('Root cause').waitFor()],
    ['sessions', '/', (page) => page.getByRole('heading', { name: 'Queued · 2' }).waitFor()],
    ['session', `/sessions/${completed}`, (page) => finalAnalysis(page).getByRole('table').waitFor()],
    ['trace', `/sessions/${completed}/trace`, selectCall],
    ['submit', '/submit', fillForm],
    ['system', '/system', (page) => page.getByRole('article', { name: 'prometheus' }).waitFor()],
  ];
  const browser = await launchBrowser();
  run.after(() => browser.close());
  for (const colorScheme of ['light', 'dark']) {
    const options = { viewport: VIEWPORT, colorScheme, locale: 'en-GB', reducedMotion: 'reduce' };
    const context = await browser.newContext(options);
    const page = await context.newPage();
    for (const [name, path, waitUntilReady] of pages) {
      await page.goto(url + path);
      await waitUntilReady(page);
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: `${IMAGES}${name}-${colorScheme}.png` });
    }
    await context.close();
  }
  await takeTerminal(browser);
}

/** Shows the start of an investigation in a terminal and its report; the middle is left out. */
async function takeTerminal(browser) {
  const command = ['investigate', '--incident', 'checkout-oom', '--pace', 'fast'];
  const lines = (await runColored(command)).split('\n');
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

async function selectCall(page) {
  await page.getByRole('region', { name: 'Calls' }).getByText('kubernetes.pod_log').click();
  const call = page.getByRole('region', { name: 'Selected call' });
  await call.getByText('connection pool exhausted').first().waitFor();
}

async function fillForm(page) {
  await page.getByRole('combobox', { name: 'Alert type' }).selectOption('HighErrorRate');
  const pretty = JSON.stringify(JSON.parse(ALERT), null, 2);
  await page.getByRole('textbox', { name: 'Alert data' }).fill(pretty);
  await page.getByRole('checkbox', { name: 'Select servers for this alert' }).check();
  await page.getByRole('checkbox', { name: 'kubernetes', exact: true }).check();
  await page.getByText('JSON').first().waitFor();
}
