// An MCP server over stdio that leaks a secret in every way a server can send text. `node leaky.mjs`; no dependencies.
//
// The secret comes in the variable LEAK, so that it is in no file that the tests read.
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const leak = `password=${process.env.LEAK}`
if (process.argv[2] === 'dies') {
  process.stderr.write(`cannot log in with ${leak}\n`)
  process.exit(3)
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta']

const calls = {
  says: ({ twice }) => text(`the login is ${leak}${twice ? ` and again ${leak}` : ''}`),
  fails: () => ({ ...text(`refused ${leak}`), isError: true }),
  throws: () => {
    throw new Error(`unexpected ${leak}`)
  },
  progresses: async (_, token) => {
    send({ method: 'notifications/progress', params: { progressToken: token, progress: 1, total: 2, message: `trying ${leak}` } })
    await pause(100)
    return text('done')
  },
  complains: async () => {
    process.stderr.write(`warning: ${leak}\n`)
    send({ method: 'notifications/message', params: { level: 'warning', data: `logged ${leak}` } })
    process.stdout.write(`printed ${leak}\n{"odd": "${leak}"}\n`)
    await pause(100)
    return text('complained')
  },
  structures: () => ({ content: [], structuredContent: { connection: { password: process.env.LEAK, host: 'db-1' } } }),
  environment: () => text(Object.keys(process.env).sort().join(' ')),
  hangs: () => {
    writeFileSync(process.env.PID_FILE, String(process.pid))
    return new Promise(() => {})
  },
  long: () => text(Array.from({ length: 4000 }, (_, n) => [1, 8, 64, 512].map((d) => words[Math.floor(n / d) % 8]).join(' ')).join('\n') + `\nlast ${leak}`),
}

const schema = { type: 'object', properties: { twice: { type: 'boolean' } }, additionalProperties: false }
const tools = Object.keys(calls).map((name) => ({ name, description: `It ${name}.\nAnd no more.`, inputSchema: schema, annotations: { readOnlyHint: name === 'says' } }))

const answer = async ({ id, method, params }) => {
  if (method === 'initialize') {
    // The MCP client library logs messages that arrive before the response to `initialize`, unmasked.
    send({ method: 'notifications/progress', params: { progressToken: 1, progress: 1, message: `too early ${leak}` } })
    send({ method: 'notifications/message', params: { level: 'info', data: `too early ${leak}` } })
    const serverInfo = { name: 'leaky', version: '1' }
    return send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {}, logging: {} }, serverInfo } })
  }
  if (method === 'tools/list') return send({ id, result: { tools } })
  if (method !== 'tools/call') return
  try {
    return send({ id, result: await calls[params.name](params.arguments ?? {}, params._meta?.progressToken) })
  } catch (error) {
    return send({ id, error: { code: -32000, message: error.message, data: leak } })
  }
}

createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)))
