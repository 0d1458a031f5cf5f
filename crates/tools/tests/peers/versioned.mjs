// An MCP server that implements one protocol version only. `node versioned.mjs VERSION stdio|http [REFUSAL]`; over HTTP
// it prints its port. From 2026-07-28 on `initialize` does not exist: it is rejected with the error code REFUSAL.
// No dependencies.
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const [version, transport, refusal = '-32601'] = process.argv.slice(2)
const modern = version >= '2026-07-28'
const versionKey = 'io.modelcontextprotocol/protocolVersion'
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId'
const capabilities = { tools: { listChanged: true } }
const serverInfo = { name: 'versioned', version: '1' }

let requested
let changed = false
const listeners = []
const names = () => ['reports', 'changes', 'requests_input', 'keeps_requesting_input', 'samples', ...(changed ? ['extra'] : [])]
const tools = () => names().map((name) => ({ name, inputSchema: { type: 'object' } }))
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const complete = (result) => (modern ? { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private', ...result } : result)
const notify = (method, id) => ({ method, params: id === undefined ? {} : { _meta: { [subscriptionKey]: id } } })

// The input that a modern server requires while a tool runs.
const form = { message: 'your name?', requestedSchema: { type: 'object', properties: {} } }
const questions = { roots: { method: 'roots/list', params: {} }, name: { method: 'elicitation/create', params: form } }
const sample = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 }
const requireInput = (inputRequests) => ({ resultType: 'input_required', inputRequests, requestState: 'keep "this"' })

const call = (params, header) => {
  const { name, inputResponses, requestState } = params
  if (name === 'requests_input' && inputResponses) return complete(text(JSON.stringify({ inputResponses, requestState })))
  if (name === 'requests_input' || name === 'keeps_requesting_input') return requireInput(questions)
  if (name === 'samples') return requireInput({ sample: { method: 'sampling/createMessage', params: sample } })
  if (name === 'reports') return complete(text(JSON.stringify({ requested, header, meta: params._meta?.[versionKey] })))
  changed = true
  for (const listener of listeners) listener()
  return complete(text('changed'))
}

// Returns the response to a message, without its id.
const respond = ({ id, method, params }, header, send) => {
  const refuse = (code, message) => ({ error: { code: Number(code), message } })
  if (method === 'initialize') {
    requested = params.protocolVersion
    if (modern) return refuse(refusal, 'there is no initialize any more')
    return { result: { protocolVersion: version, capabilities, serverInfo } }
  }
  if (modern && params?._meta?.[versionKey] !== version) return refuse(-32602, 'the version is missing')
  if (method === 'server/discover') return { result: complete({ supportedVersions: [version], capabilities, serverInfo }) }
  if (method === 'tools/list') return { result: complete({ tools: tools() }) }
  if (method === 'tools/call') return { result: call(params, header) }
  if (method === 'subscriptions/listen') {
    const acknowledged = notify('notifications/subscriptions/acknowledged', id)
    send({ ...acknowledged, params: { ...acknowledged.params, notifications: params.notifications } })
    listeners.push(() => send(notify('notifications/tools/list_changed', id)))
    return undefined
  }
  return refuse(-32601, `there is no ${method}`)
}

const serveLines = () => {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  if (!modern) listeners.push(() => send(notify('notifications/tools/list_changed')))
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line)
    const reply = message.id === undefined ? undefined : respond(message, undefined, send)
    if (reply) send({ id: message.id, ...reply })
  })
}

const stream = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  return (message) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
}

const post = (message, request, response) => {
  if (message.id === undefined) return response.writeHead(202).end()
  const header = request.headers['mcp-protocol-version']
  let send
  const reply = respond(message, header, (event) => {
    send ??= stream(response)
    send(event)
  })
  if (!reply) return
  response.writeHead(reply.error ? 400 : 200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply }))
}

const serveHttp = () => {
  const server = createServer((request, response) => {
    if (request.method === 'GET' && !modern) {
      const send = stream(response)
      return listeners.push(() => send(notify('notifications/tools/list_changed')))
    }
    if (request.method !== 'POST') return response.writeHead(405).end()
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => post(JSON.parse(Buffer.concat(chunks).toString()), request, response))
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
}

if (transport === 'http') serveHttp()
else serveLines()
