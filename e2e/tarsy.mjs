/**
 * Starts and stops the real binary: on a free port, with an empty data directory, stopped with SIGTERM.
 * `TARSY_BINARY` selects another build.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BINARY = process.env.TARSY_BINARY ?? fileURLToPath(new URL('../target/debug/tarsy', import.meta.url));
const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 15_000;

/**
 * Starts `tarsy serve` with these configuration files and returns once it listens. After the test the server
 * is stopped and its data directory is deleted.
 */
export async function startTarsy(test, files = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tarsy-e2e-'));
  let tarsy;
  test.after(async () => {
    await tarsy?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  for (const [name, content] of Object.entries(files)) await writeFile(join(dataDir, name), content);

  const launch = async (listen) => {
    tarsy = spawnServe(listen, dataDir);
    return tarsy.listening();
  };
  const url = await launch('127.0.0.1:0');
  return {
    url,
    database: join(dataDir, 'tarsy.db'),
    /** Changes a configuration file; the server reads it on the next start. */
    configure: (name, content) => writeFile(join(dataDir, name), content),
    stop: () => tarsy.stop(),
    kill: () => tarsy.kill(),
    restart: () => launch(new URL(url).host),
    /** Runs another command on the same data directory and returns its output. */
    run: (...command) => runCommand([...command, '--data-dir', dataDir]),
  };
}

/**
 * Runs the binary without any settings or keys and returns once it has printed its welcome text. After the
 * test it is stopped.
 */
export async function startDemo(test, command) {
  const child = spawn(BINARY, command, { env: minimalEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  test.after(() => stopChild(child, exited));
  let welcome = '';
  for await (const line of createInterface(child.stdout)) {
    welcome += `${line}\n`;
    if (line.includes('Ctrl-C')) break;
  }
  return {
    welcome,
    /** Sends SIGINT and returns the exit status. */
    interrupt: async () => {
      child.kill('SIGINT');
      const [code] = await withTimeout(STOP_WITHIN_MS, 'to stop after SIGINT', exited);
      return code;
    },
  };
}

/** Runs a command without any settings or keys and returns its output. */
export const runWithoutSettings = (command) => runCommand(command, minimalEnvironment());

/** Like `runWithoutSettings`, with stderr first and with terminal colors. */
export async function runColored(command) {
  const env = { ...minimalEnvironment(), CLICOLOR_FORCE: '1' };
  const child = spawn(BINARY, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const read = async (stream) => (await stream.setEncoding('utf8').toArray()).join('');
  const [progress, report] = await Promise.all([read(child.stderr), read(child.stdout)]);
  return progress + report;
}

function spawnServe(listen, dataDir) {
  const options = ['--listen', listen, '--data-dir', dataDir, '--config-dir', dataDir];
  const child = spawn(BINARY, ['serve', ...options], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  return {
    listening: () => listeningAddress(child, exited),
    stop: () => stopChild(child, exited),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function runCommand(command, env = environment()) {
  const child = spawn(BINARY, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  const [code] = await exited;
  if (code !== 0) throw new Error(`${BINARY} ${command.join(' ')} exited with ${code}:\n${errors}`);
  return output.trim();
}

/** Removes the caller's TARSY settings, so that they do not affect tests. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TARSY_')));
}

/** Only what every user has. */
function minimalEnvironment() {
  const { PATH, HOME } = process.env;
  return { PATH, HOME };
}

async function listeningAddress(child, exited) {
  const diagnostics = [];
  createInterface(child.stderr).on('line', (line) => diagnostics.push(line));
  const listening = new Promise((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const address = line.match(/^listening on (http:\/\/\S+)$/)?.[1];
      if (address) resolve(address);
    });
  });
  const failed = exited.then(([code, signal]) => {
    throw new Error(`${BINARY} exited before it listened (${code ?? signal}):\n${diagnostics.join('\n')}`);
  });
  return withTimeout(START_WITHIN_MS, 'to listen', Promise.race([listening, failed]));
}

async function stopChild(child, exited) {
  const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (!isRunning) return;
  child.kill('SIGTERM');
  try {
    await withTimeout(STOP_WITHIN_MS, 'to stop after SIGTERM', exited);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Waits for `promise` for at most `ms`. */
async function withTimeout(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${BINARY} ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
