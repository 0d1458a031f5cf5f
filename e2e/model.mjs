/**
 * A scripted model behind a real Chat Completions endpoint. Each value that the script yields is sent
 * immediately as a delta, and the response stays open while the script waits. The reply depends only on the
 * request, so that an interrupted session receives the same reply again.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** A promise (`opened`) that the test resolves with `open()`. */
export function createGate() {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

export const textDelta = (text) => ({ content: text });
export const thinkingDelta = (text) => ({ reasoning_content: text });
export const toolCallDelta = (...named) => ({
  tool_calls: named.map(([name, parameters], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(parameters) },
  })),
});

/** Returns the number of tool results in the conversation. */
export const resultsIn = ({ messages }) => messages.filter(({ role }) => role === 'tool').length;

/** Starts the model. `script` receives `{ model, messages }` and returns an async iterable of deltas. */
export async function startModel(test, script) {
  const server = createServer((request, response) => {
    respond(request, response, script).catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/v1` };
}

async function respond(request, response, script) {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { model, messages } = JSON.parse(body);
  const closed = new Promise((resolve) => response.once('close', resolve));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for await (const delta of script({ model, messages })) {
    if (response.destroyed) return;
    if (!response.write(event({ delta }))) await Promise.race([once(response, 'drain'), closed]);
  }
  const usage = { prompt_tokens: 1200, completion_tokens: 80, total_tokens: 1280 };
  response.end(`${event({ delta: {}, finish_reason: 'stop' }, usage)}data: [DONE]\n\n`);
}

const event = (choice, usage) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...(usage && { usage }) })}\n\n`;
