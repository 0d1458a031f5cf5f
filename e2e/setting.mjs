/**
 * A configuration for tests: one chain for alerts of the type `PodCrash`, a model for each voice, and one MCP server.
 * Leases are short, so that what a killed process leaves behind is soon taken up again.
 */
import { startModel } from './model.mjs';
import { startTarsy } from './tarsy.mjs';
import { startTools } from './tools.mjs';

/** The names by which a script tells apart who speaks. */
export const VOICES = ['investigates', 'sums-up', 'chats'];

/** The program with a model that follows `script` and with `tools`. `system` is that part of the configuration as YAML. */
export async function startSetting(test, { script, tools = {}, system = '{}', workers = 4 }) {
  const model = await startModel(test, script);
  const shed = await startTools(test, tools);
  const provider = (voice) =>
    `  ${voice}: { type: openai-compatible, base_url: "${model.url}", model: ${voice} }\n`;
  return startTarsy(test, {
    'llm-providers.yaml': `llm_providers:\n${VOICES.map(provider).join('')}`,
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
defaults: { llm_provider: investigates }
mcp_servers:
  cluster: { transport: { type: http, url: "${shed.url}" } }
agents:
  ClusterAgent: { mcp_servers: [cluster], iteration_strategy: native-thinking }
agent_chains:
  pod-crash:
    description: A pod does not stay up
    alert_types: [PodCrash]
    executive_summary_provider: sums-up
    chat: { agent: ClusterAgent, llm_provider: chats }
    stages: [{ name: look, agent: ClusterAgent }]
`,
  });
}
