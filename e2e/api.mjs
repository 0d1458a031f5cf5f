/** The server's interface as tests use it beside the browser. */

/** Sends an alert of the type that the tests' chain takes; answers the id of its session. */
export async function submitAlert(url, data = 'The pod shop-checkout restarts.', headers = {}) {
  const answer = await fetch(`${url}/api/v1/alerts?alert_type=PodCrash`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', ...headers },
    body: data,
  });
  if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.json()).session_id;
}

/** Reads the stream of a session until it has told what `isIt` looks for. */
export async function heard(url, sessionId, isIt) {
  const answer = await fetch(`${url}/api/v1/sessions/${sessionId}/events`);
  let unread = '';
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (unread + piece).split('\n');
    unread = lines.pop();
    const messages = lines.filter((line) => line.startsWith('data: '));
    if (messages.some((line) => isIt(JSON.parse(line.slice('data: '.length))))) return;
  }
  throw new Error(`the stream of ${sessionId} ended before it told that`);
}

const ENDED = ['completed', 'completed_with_errors', 'failed', 'timed_out', 'cancelled'];

export const ended = (url, sessionId) =>
  heard(url, sessionId, ({ type, data }) => type === 'session.status' && ENDED.includes(data.status));

export const streaming = (url, sessionId) => heard(url, sessionId, ({ type }) => type === 'stream.chunk');

export async function getJson(url, path) {
  const answer = await fetch(url + path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** The timeline of a session, which must be short. */
export async function timelineOf(url, sessionId) {
  return (await getJson(url, `/api/v1/sessions/${sessionId}/timeline`)).events;
}
