// An MCP server over stdio with one tool, `look`, which returns its arguments. `node local.mjs`; no dependencies.
//
// It leaves a file named after its process in the directory PIDS, so that a test can check whether it has exited.
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

writeFileSync(`${process.env.PIDS}/${process.pid}`, '')

const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'local', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: given }) => ({ content: [{ type: 'text', text: `seen here: ${JSON.stringify(given)}` }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]?.(params) ?? {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
})
