// A streamable HTTP server that misbehaves on purpose. `node faulty-http.mjs MODE [KEY CERT]`; it prints its port. No
// dependencies.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'

const [mode, key, cert] = process.argv.slice(2)
let sessions = 0
let lostSession = false
let calls = 0
const received = []

const json = (response, body, headers = {}) => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', ...body }))
}
const refuse = (response, status, body = 'go away') => {
  response.writeHead(status, { 'content-type': 'text/plain' })
  response.end(body)
}
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const tool = (name, annotations) => ({ name, inputSchema: { type: 'object' }, ...(annotations && { annotations }) })

const call = (request, response, { id, params }) => {
  calls += 1
  const session = request.headers['mcp-session-id']
  if (params.name === 'forgets' && !lostSession) {
    lostSession = true
    return refuse(response, 404, 'no such session')
  }
  if (params.name === 'breaks' && calls === 1) return response.socket.destroy()
  if (params.name === 'breaks_midway') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"jsonrpc"')
    return setTimeout(() => response.socket.destroy(), 50)
  }
  if (params.name === 'big_json') return json(response, { id, result: text('a'.repeat(50 * 1024 * 1024)) })
  if (params.name === 'big_event') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: text('a'.repeat(50 * 1024 * 1024)) })}\n\n`)
  }
  if (params.name === 'trickles') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return setInterval(() => response.write(': still here\n'), 20)
  }
  if (params.name === 'never_returns') return response.on('close', () => received.push('hung-up'))
  if (params.name === 'received') return json(response, { id, result: text(received.join(' ')) })
  if (params.name === 'overloaded') return refuse(response, 503, 'too busy')
  return json(response, { id, result: text(`session ${session} ${request.headers['x-team'] ?? ''}`) })
}

const misbehaving = ['forgets', 'breaks_midway', 'big_json', 'big_event', 'trickles', 'never_returns', 'overloaded']
const tools = [...misbehaving, 'received', 'reports'].map((name) => tool(name))
tools.push(tool('breaks', { idempotentHint: true }))
const listed = mode === 'big' ? tools.filter(({ name }) => name.startsWith('big')) : tools

const serve = (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    if (mode === 'unauthorized' && request.headers.authorization !== 'Bearer right') return refuse(response, 401)
    if (mode === 'page') return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    if (mode === 'hangs') return undefined
    if (mode === 'trickles') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return setInterval(() => response.write(' '), 20)
    }
    if (mode === 'missing') return refuse(response, 404, 'not found')
    if (request.method !== 'POST') return refuse(response, 405)
    const message = JSON.parse(Buffer.concat(chunks).toString())
    received.push(message.params?.name ? `${message.method}:${message.params.name}` : message.method)
    if (message.id === undefined) return response.writeHead(202).end()
    if (message.method === 'initialize') {
      sessions += 1
      const serverInfo = { name: 'faulty-http', version: '1' }
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
      return json(response, { id: message.id, result }, { 'mcp-session-id': `s${sessions}` })
    }
    if (message.method === 'tools/list') return json(response, { id: message.id, result: { tools: listed } })
    return call(request, response, message)
  })
}

const server = key ? createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, serve) : createServer(serve)
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
