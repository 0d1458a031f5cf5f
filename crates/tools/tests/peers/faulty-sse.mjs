// A server of the older HTTP transport that misbehaves on purpose. `node faulty-sse.mjs MODE`; it prints its port. No
// dependencies.
//
// `unauthorized`, `silent` (sends no `endpoint` event), `elsewhere` (names another server), `ends`, or `serves`, each of
// whose tools misbehaves in its own way.
import { createServer } from 'node:http'

const mode = process.argv[2]
const names = ['dies', 'big', 'never_returns', 'trickles', 'forgets', 'overloaded', 'received', 'reports']
const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }))
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const received = []
let stream

const send = (message) => stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
const calls = {
  dies: () => stream.socket.destroy(),
  big: (id) => send({ id, result: text('a'.repeat(50 * 1024 * 1024)) }),
  never_returns: () => {},
  trickles: () => {
    stream.write('data: {"jsonrpc"')
    setInterval(() => stream.write(' '), 20)
  },
  received: (id) => send({ id, result: text(received.join(' ')) }),
  reports: (id) => send({ id, result: text('well') }),
}

const respond = ({ id, method, params }) => {
  if (method === 'initialize') {
    const serverInfo = { name: 'faulty-sse', version: '1' }
    send({ id, result: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo } })
  }
  if (method === 'tools/list') send({ id, result: { tools } })
  if (method === 'tools/call') calls[params.name](id)
}

const open = (response) => {
  if (mode === 'unauthorized') return response.writeHead(401).end('go away')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  stream = response
  if (mode === 'silent') return response.write(': wait\n\n')
  if (mode === 'ends') return response.end()
  const origin = mode === 'elsewhere' ? 'http://127.0.0.2:1' : ''
  response.write(`event: endpoint\ndata: ${origin}/messages?session=1\n\n`)
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return open(response)
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString())
    received.push(message.params?.name ? `${message.method}:${message.params.name}` : message.method)
    if (message.params?.name === 'forgets') return response.writeHead(404).end('no such session')
    if (message.params?.name === 'overloaded') return response.writeHead(503).end('too busy')
    response.writeHead(202).end()
    respond(message)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
