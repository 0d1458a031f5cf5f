// An MCP server that misbehaves on purpose. `node faulty.mjs MODE`; no dependencies.
//
// Over stdio: `exits`, `hangs`, `babbles` (prints text that is not MCP), `gushes` (an endless line), `floods` (endless
// standard error), or `serves`, each of whose tools misbehaves in its own way.
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const mode = process.argv[2]
if (mode === 'exits') {
  process.stderr.write('no licence found\n')
  process.exit(3)
}
if (mode === 'babbles') setInterval(() => process.stdout.write('Starting server, please wait...\n'), 50)
if (mode === 'gushes') setInterval(() => process.stdout.write('x'.repeat(1 << 20)), 1)
if (mode === 'floods') setInterval(() => process.stderr.write(`${'x'.repeat(5000)}\n`.repeat(100)), 10)

const received = []
let extraTool = false
const tool = (name, annotations) => ({ name, inputSchema: { type: 'object' }, ...(annotations && { annotations }) })
const tools = () => [
  tool('dies'),
  tool('dies_once', { readOnlyHint: true }),
  tool('big'),
  tool('never_returns'),
  tool('trickles'),
  tool('changes'),
  tool('requests_input'),
  tool('environment'),
  tool('spawns_children'),
  tool('received'),
  tool('fails'),
  tool('talks'),
  {
    name: 'typed',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['state'],
      properties: { state: { type: 'string' }, limit: { type: 'integer' }, ids: { type: 'array', items: { type: 'integer' } } },
    },
  },
  { name: 'rejects', inputSchema: { type: 'object', properties: { state: { type: 'string' } } } },
  ...(extraTool ? [tool('extra')] : []),
]

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })

let nextId = 1000
const waiting = new Map()
const request = (method, params) =>
  new Promise((resolve) => {
    waiting.set(nextId, resolve)
    send({ id: nextId++, method, params })
  })

const calls = {
  dies: () => process.exit(9),
  dies_once: () => {
    if (existsSync(process.env.MARK)) return text('alive again')
    writeFileSync(process.env.MARK, '')
    return process.exit(9)
  },
  big: () => text('a'.repeat(50 * 1024 * 1024)),
  never_returns: () => new Promise(() => {}),
  trickles: () => {
    process.stdout.write('{"jsonrpc":"2.0","id":')
    setInterval(() => process.stdout.write(' '), 20)
    return new Promise(() => {})
  },
  changes: () => {
    extraTool = true
    send({ method: 'notifications/tools/list_changed' })
    return text('changed')
  },
  requests_input: async () => {
    const sample = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 }
    const form = { message: 'your name?', requestedSchema: { type: 'object', properties: {} } }
    const [ping, roots, sampling, elicitation] = await Promise.all([
      request('ping', {}),
      request('roots/list', {}),
      request('sampling/createMessage', sample),
      request('elicitation/create', form),
    ])
    return text(JSON.stringify({ ping: ping.result, roots: roots.result, sampling: sampling.error, elicitation: elicitation.result }))
  },
  environment: () => text(JSON.stringify(process.env)),
  spawns_children: () => {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
    const other = spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 600; done'], { stdio: 'ignore' })
    return text(`${child.pid} ${other.pid}`)
  },
  received: () => text(received.join(' ')),
  typed: (arguments_) => text(JSON.stringify(arguments_)),
  fails: () => ({ ...text('the cluster is on fire'), isError: true }),
  talks: () => {
    send({ method: 'notifications/message', params: { level: 'warning', data: 'a warning' } })
    process.stdout.write('not json at all\n{"half": \n')
    process.stderr.write('a line of standard error\n')
    return text('talked')
  },
}

const respond = async ({ id, method, params }) => {
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } }
    return send({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'faulty', version: '1' } } })
  }
  if (method === 'tools/list') return send({ id, result: { tools: tools() } })
  if (method === 'tools/call' && params.name === 'rejects') return send({ id, error: { code: -32602, message: 'unknown argument job' } })
  if (method === 'tools/call') return send({ id, result: await calls[params.name](params.arguments) })
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (mode !== 'serves') return
  const message = JSON.parse(line)
  if (message.method) received.push(message.params?.name ? `${message.method}:${message.params.name}` : message.method)
  if (waiting.has(message.id) && !message.method) return waiting.get(message.id)(message)
  respond(message)
})
if (mode === 'hangs' || mode === 'serves') process.on('SIGTERM', () => {})
if (mode === 'hangs') setInterval(() => {}, 1000)
