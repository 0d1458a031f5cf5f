#!/usr/bin/env node
/**
 * Runs every Rust test of the workspace, two programs at a time: most of them wait for processes, databases and clocks longer than they
 * compute, and `cargo test` runs one after the other. Of a program that ends well there is a line, of another one all that it said.
 */
import { spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';

const AT_ONCE = 2;
const WORKSPACE = ['test', '--workspace', '--locked'];

const programs = await build();
programs.push({
  name: 'examples in the documentation of crates',
  command: 'cargo',
  arguments: [...WORKSPACE, '--doc'],
});
const broken = await runAll(programs);
if (broken.length > 0) {
  process.stderr.write(
    `\n${broken.length} of ${programs.length} test programs failed:\n  ${broken.join('\n  ')}\n`,
  );
  process.exit(1);
}

/** Builds all test programs. Those that are a folder take longest, so they come first. */
async function build() {
  const options = { stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, said } = await run('cargo', [...WORKSPACE, '--no-run', '--message-format=json'], options);
  if (status !== 0) process.exit(1);
  const artifacts = said
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const built = artifacts.filter(({ profile, executable }) => profile?.test && executable);
  const isFolder = ({ target }) => basename(target.src_path) === 'main.rs';
  return built
    .toSorted((one, other) => isFolder(other) - isFolder(one))
    .map(({ manifest_path, target, executable }) => ({
      name: `${basename(dirname(manifest_path))}: ${target.kind[0]} ${target.name}`,
      command: executable,
      arguments: [],
      directory: dirname(manifest_path),
    }));
}

/** Runs all programs; answers the names of those that failed. */
async function runAll(waiting) {
  const left = [...waiting];
  const broken = [];
  const work = async () => {
    for (let program = left.shift(); program; program = left.shift()) {
      if (!(await report(program))) broken.push(program.name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return broken;
}

/** Runs a program and tells how it went; answers whether it went well. */
async function report(program) {
  const began = performance.now();
  const env = { ...process.env, ...(program.directory && { CARGO_MANIFEST_DIR: program.directory }) };
  const { status, said } = await run(program.command, program.arguments, { cwd: program.directory, env });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const passed = [...said.matchAll(/^test result: .* (\d+) passed/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
  const isWell = status === 0;
  if (!isWell) process.stdout.write(`\n${said}\n`);
  process.stdout.write(`${isWell ? 'ok    ' : 'FAILED'} ${program.name}: ${passed} passed in ${seconds} s\n`);
  return isWell;
}

/** Runs a command to its end; answers its status and all that it said where nobody else listens. */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => said.push(piece));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, said: Buffer.concat(said).toString() }));
  });
}
