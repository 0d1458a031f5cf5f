/**
 * A model behind a real Chat Completions interface. A script decides every word of it, and when it comes: what it yields is
 * sent at once, and while it waits the answer is still being written. What it says depends on the request alone, so that a
 * session that was interrupted gets the same answers again.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Something that is closed until the test opens it. */
export function createGate() {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

export const says = (text) => ({ content: text });
export const thinks = (text) => ({ reasoning_content: text });
export const calls = (...named) => ({
  tool_calls: named.map(([name, parameters], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(parameters) },
  })),
});

/** How many results of tools the model was told. */
export const resultsIn = ({ messages }) => messages.filter(({ role }) => role === 'tool').length;

/** `script` gets `{ model, messages }` and answers what is said, as an iterable that may take its time. */
export async function startModel(test, script) {
  const server = createServer((request, response) => {
    answer(request, response, script).catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/v1` };
}

async function answer(request, response, script) {
  let body = '';
  for await (const piece of request) body += piece;
  const { model, messages } = JSON.parse(body);
  const gone = new Promise((resolve) => response.once('close', resolve));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for await (const delta of script({ model, messages })) {
    if (response.destroyed) return;
    if (!response.write(event({ delta }))) await Promise.race([once(response, 'drain'), gone]);
  }
  const usage = { prompt_tokens: 1200, completion_tokens: 80, total_tokens: 1280 };
  response.end(`${event({ delta: {}, finish_reason: 'stop' }, usage)}data: [DONE]\n\n`);
}

const event = (choice, usage) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...(usage && { usage }) })}\n\n`;
