/**
 * A server for tests: one chain for alerts of type `PodCrash`, one model for each purpose, and one MCP
 * server. Leases are short, so that sessions of a killed process are resumed quickly.
 */
import { startModel } from './model.mjs';
import { startTarsy } from './tarsy.mjs';
import { startTools } from './tools.mjs';

/** Model names, by which a script distinguishes the purpose of a call. */
export const MODELS = ['investigation', 'summary', 'chat'];

/** Starts TARSy with a scripted model and `tools`. `system` is the YAML of that configuration section. */
export async function startTestServer(test, { script, tools = {}, system = '{}', workers = 4 }) {
  const model = await startModel(test, script);
  const toolServer = await startTools(test, tools);
  const provider = (name) =>
    `  ${name}: { type: openai-compatible, base_url: "${model.url}", model: ${name} }\n`;
  return startTarsy(test, {
    'llm-providers.yaml': `llm_providers:\n${MODELS.map(provider).join('')}`,
    'tarsy.yaml': `
system: ${system}
queue:
  worker_count: ${workers}
  max_concurrent_sessions: ${workers}
  poll_interval: 100ms
  poll_interval_jitter: 50ms
  heartbeat_interval: 300ms
  lease_duration: 1500ms
  graceful_shutdown_timeout: 500ms
defaults: { llm_provider: investigation }
mcp_servers:
  cluster: { transport: { type: http, url: "${toolServer.url}" } }
agents:
  ClusterAgent: { mcp_servers: [cluster], iteration_strategy: native-thinking }
agent_chains:
  pod-crash:
    description: A pod does not stay up
    alert_types: [PodCrash]
    executive_summary_provider: summary
    chat: { agent: ClusterAgent, llm_provider: chat }
    stages: [{ name: look, agent: ClusterAgent }]
`,
  });
}
