/** Measures a page: frame times while scrolling, memory, elements, transferred bytes. */

/** Scrolls `turns` times by `distance` and returns percentiles of the frame times in milliseconds. */
export async function framesWhileScrolling(page, { turns, distance }) {
  await page.evaluate(() => {
    globalThis.frames = [];
    let last = performance.now();
    const tick = (now) => {
      globalThis.frames.push(now - last);
      last = now;
      globalThis.ticking = requestAnimationFrame(tick);
    };
    globalThis.ticking = requestAnimationFrame(tick);
  });
  for (let turn = 0; turn < turns; turn += 1) await page.mouse.wheel(0, distance);
  // After two more frames the last scroll is rendered.
  const frames = await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    cancelAnimationFrame(globalThis.ticking);
    return globalThis.frames.slice(1);
  });
  const sorted = frames.sort((one, other) => one - other);
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return { frames: sorted.length, p50: at(0.5), p95: at(0.95), longest: at(1) };
}

/** Returns heap size and element count after garbage collection. */
export async function memoryOf(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.enable');
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  await client.detach();
  return { heapMb: usedSize / 1e6, elements };
}

/** Records responses from now on, with their compressed sizes. */
export async function countBytes(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  const loaded = new Map();
  const files = new Map();
  client.on('Network.responseReceived', ({ requestId, response }) =>
    files.set(requestId, {
      path: new URL(response.url).pathname,
      encoding: response.headers['content-encoding'],
    }),
  );
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    loaded.set(requestId, encodedDataLength),
  );
  return () =>
    [...loaded].map(([requestId, bytes]) => ({ ...files.get(requestId), bytes })).filter(({ path }) => path);
}
