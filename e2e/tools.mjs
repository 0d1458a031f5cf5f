/**
 * An MCP server over streamable HTTP. Its tools are functions of the test that return a text or throw an
 * error. Other requests get an empty result.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

export async function startTools(test, tools, name = 'test') {
  const server = createServer((request, response) => {
    respond(request, response, { tools, name }).catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/mcp` };
}

async function respond(request, response, peer) {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.method !== 'POST') return response.writeHead(405).end();
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  const result = await resultOf(peer, method, params);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

async function resultOf({ tools, name }, method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name, version: '1.4.0' },
      };
    case 'tools/list':
      return { tools: Object.keys(tools).map(toolDefinition) };
    case 'tools/call':
      return callTool(tools[params.name], params.arguments);
    default:
      return {};
  }
}

async function callTool(tool, parameters) {
  try {
    return { content: [{ type: 'text', text: await tool(parameters) }] };
  } catch (error) {
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

const toolDefinition = (name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
});
