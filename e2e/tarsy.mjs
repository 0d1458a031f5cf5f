/**
 * The real program as a test drives it: started on a free port with an empty data directory, stopped with SIGTERM.
 * Nothing here knows what the program does; `TARSY_BINARY` chooses another build of it.
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
 * Starts `tarsy serve` with these files as its configuration and returns once it says that it listens. After the test it is
 * stopped, if it was not before, and its data directory is gone.
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
    /** Changes a file of the configuration; the program reads it when it is started again. */
    configure: (name, content) => writeFile(join(dataDir, name), content),
    stop: () => tarsy.stop(),
    kill: () => tarsy.kill(),
    startAgain: () => launch(new URL(url).host),
    /** What another command of the program answers about the same data. */
    run: (...command) => runCommand([...command, '--data-dir', dataDir]),
  };
}

/**
 * Starts the program with these arguments as a person would, without any setting or key, and returns once it has said what there is
 * to see. After the test it is stopped, if it was not before.
 */
export async function startDemo(test, command) {
  const child = spawn(BINARY, command, { env: bareEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  test.after(() => stopChild(child, exited));
  let welcome = '';
  for await (const line of createInterface(child.stdout)) {
    welcome += `${line}\n`;
    if (line.includes('Ctrl-C')) break;
  }
  return {
    welcome,
    /** What Ctrl-C does; answers the exit status. */
    interrupt: async () => {
      child.kill('SIGINT');
      const [code] = await within(STOP_WITHIN_MS, 'to stop after SIGINT', exited);
      return code;
    },
  };
}

/** What another command says to somebody without any setting or key. */
export const runBare = (command) => runCommand(command, bareEnvironment());

/** The same, with what it tells on the way before it, in the colours that a terminal has. */
export async function runColoured(command) {
  const env = { ...bareEnvironment(), CLICOLOR_FORCE: '1' };
  const child = spawn(BINARY, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const read = async (stream) => (await stream.setEncoding('utf8').toArray()).join('');
  const [told, report] = await Promise.all([read(child.stderr), read(child.stdout)]);
  return told + report;
}

function spawnServe(listen, dataDir) {
  const places = ['--listen', listen, '--data-dir', dataDir, '--config-dir', dataDir];
  const child = spawn(BINARY, ['serve', ...places], {
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
  let said = '';
  child.stderr.on('data', (piece) => {
    said += piece;
  });
  let answer = '';
  for await (const piece of child.stdout) answer += piece;
  const [code] = await exited;
  if (code !== 0) throw new Error(`${BINARY} ${command.join(' ')} ended with ${code}:\n${said}`);
  return answer.trim();
}

/** The caller's own settings must not decide what a test sees. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TARSY_')));
}

/** What every person has. */
function bareEnvironment() {
  const { PATH, HOME } = process.env;
  return { PATH, HOME };
}

async function listeningAddress(child, exited) {
  const diagnostics = [];
  createInterface(child.stderr).on('line', (line) => diagnostics.push(line));
  const spoken = new Promise((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const address = line.match(/^listening on (http:\/\/\S+)$/)?.[1];
      if (address) resolve(address);
    });
  });
  const gone = exited.then(([code, signal]) => {
    throw new Error(`${BINARY} ended before it listened (${code ?? signal}):\n${diagnostics.join('\n')}`);
  });
  return within(START_WITHIN_MS, 'to listen', Promise.race([spoken, gone]));
}

async function stopChild(child, exited) {
  const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (!isRunning) return;
  child.kill('SIGTERM');
  try {
    await within(STOP_WITHIN_MS, 'to stop after SIGTERM', exited);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Waits for `promise`, and no longer than `ms`. */
async function within(ms, what, promise) {
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
