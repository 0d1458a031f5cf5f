/** HTTP API helpers for tests. */

/** Submits an alert of type `PodCrash` and returns its session id. */
export async function submitAlert(url, data = 'The pod shop-checkout restarts.', headers = {}) {
  const response = await fetch(`${url}/api/v1/alerts?alert_type=PodCrash`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', ...headers },
    body: data,
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()).session_id;
}

/** Reads the event stream of a session until a message satisfies `matches`. */
export async function waitForMessage(url, sessionId, matches) {
  const response = await fetch(`${url}/api/v1/sessions/${sessionId}/events`);
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    const messages = lines.filter((line) => line.startsWith('data: '));
    if (messages.some((line) => matches(JSON.parse(line.slice('data: '.length))))) return;
  }
  throw new Error(`the stream of ${sessionId} ended before the expected message`);
}

const FINAL = ['completed', 'completed_with_errors', 'failed', 'timed_out', 'cancelled'];

export const waitForEnd = (url, sessionId) =>
  waitForMessage(
    url,
    sessionId,
    ({ type, data }) => type === 'session.status' && FINAL.includes(data.status),
  );

export const waitForChunk = (url, sessionId) =>
  waitForMessage(url, sessionId, ({ type }) => type === 'stream.chunk');

export async function getJson(url, path) {
  const response = await fetch(url + path);
  if (!response.ok) throw new Error(`${path}: ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Returns the timeline of a session that fits on one page. */
export async function timelineOf(url, sessionId) {
  return (await getJson(url, `/api/v1/sessions/${sessionId}/timeline`)).events;
}
