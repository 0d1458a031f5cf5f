#!/usr/bin/env node
/**
 * Runs all Rust test binaries of the workspace, two at a time: most of them wait for processes, databases and
 * timers longer than they compute, and `cargo test` runs them one after another. Prints one line per passed
 * binary and the full output of a failed one.
 */
import { spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';

const CONCURRENCY = 2;
const WORKSPACE = ['test', '--workspace', '--locked'];

const programs = await build();
programs.push({
  name: 'doc tests',
  command: 'cargo',
  arguments: [...WORKSPACE, '--doc'],
});
const failed = await runAll(programs);
if (failed.length > 0) {
  process.stderr.write(
    `\n${failed.length} of ${programs.length} test binaries failed:\n  ${failed.join('\n  ')}\n`,
  );
  process.exit(1);
}

/** Builds all test binaries. Binaries with a `main.rs` take longest, so they come first. */
async function build() {
  const options = { stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, output } = await run('cargo', [...WORKSPACE, '--no-run', '--message-format=json'], options);
  if (status !== 0) process.exit(1);
  const artifacts = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const built = artifacts.filter(({ profile, executable }) => profile?.test && executable);
  const hasMainFile = ({ target }) => basename(target.src_path) === 'main.rs';
  return built
    .toSorted((one, other) => hasMainFile(other) - hasMainFile(one))
    .map(({ manifest_path, target, executable }) => ({
      name: `${basename(dirname(manifest_path))}: ${target.kind[0]} ${target.name}`,
      command: executable,
      arguments: [],
      directory: dirname(manifest_path),
    }));
}

/** Runs all binaries and returns the names of those that failed. */
async function runAll(binaries) {
  const queue = [...binaries];
  const failed = [];
  const work = async () => {
    for (let program = queue.shift(); program; program = queue.shift()) {
      if (!(await report(program))) failed.push(program.name);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return failed;
}

/** Runs a binary, prints its result, and returns whether it passed. */
async function report(program) {
  const startedAt = performance.now();
  const env = { ...process.env, ...(program.directory && { CARGO_MANIFEST_DIR: program.directory }) };
  const { status, output } = await run(program.command, program.arguments, { cwd: program.directory, env });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const passed = [...output.matchAll(/^test result: .* (\d+) passed/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
  const hasPassed = status === 0;
  if (!hasPassed) process.stdout.write(`\n${output}\n`);
  process.stdout.write(
    `${hasPassed ? 'ok    ' : 'FAILED'} ${program.name}: ${passed} passed in ${seconds} s\n`,
  );
  return hasPassed;
}

/** Runs a command and returns its status and its captured output. */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output: Buffer.concat(output).toString() }));
  });
}
