/** Configuration and tools of the scenario in the screenshots: an incident in a shop at 3 am. */

export const configuration = ({ kubernetes, prometheus }) => ({
  'llm-providers.yaml': `
llm_providers:
  recorded: { type: replay, cassette: shop.yaml }
`,
  'tarsy.yaml': `
system: { dashboard_url: http://localhost:8080 }
queue: { worker_count: 2, max_concurrent_sessions: 2, graceful_shutdown_timeout: 500ms }
defaults: { llm_provider: recorded, iteration_strategy: native-thinking }
mcp_servers:
  kubernetes: { transport: { type: http, url: "${kubernetes}" } }
  prometheus: { transport: { type: http, url: "${prometheus}" } }
agents:
  KubernetesAgent: { mcp_servers: [kubernetes], iteration_strategy: native-thinking }
  MetricsAgent: { mcp_servers: [prometheus], iteration_strategy: native-thinking }
agent_chains:
  service-degraded:
    description: A service is slow or failing
    alert_types: [HighErrorRate]
    stages:
      - name: look
        agents: [{ name: KubernetesAgent }, { name: MetricsAgent }]
        synthesis: { agent: SynthesisAgent }
      - name: node-health
        agent: KubernetesAgent
        when: stages.look.analysis contains "NodeNotReady"
      - { name: root-cause, agent: KubernetesAgent }
    chat: { enabled: true }
  triage:
    description: Does this need action now?
    alert_types: [PodRestarting, DiskAlmostFull, CertificateExpiresSoon, QueueGrows]
    stages: [{ name: triage, agent: KubernetesAgent }]
  backup:
    description: A backup failed
    alert_types: [BackupFailed]
    stages: [{ name: broken, agent: KubernetesAgent }]
`,
});

const EVENTS = `02:41:07  Normal   ScalingReplicaSet  deployment/checkout  Scaled up replica set checkout-6f7d9c4b8 to 3
02:41:39  Normal   ScalingReplicaSet  deployment/checkout  Scaled down replica set checkout-5b8c7d9f6 to 0
02:52:11  Warning  SlowResponse       ingress/shop         upstream checkout answered in 3004 ms`;

const LOG = Array.from({ length: 40 }, (_, line) => {
  const second = String(11 + line).padStart(2, '0');
  return line % 5 === 3
    ? `02:52:${second} INFO  order ${48120 + line} placed in 211 ms`
    : `02:52:${second} ERROR order ${48120 + line}: connection pool exhausted: 10 of 10 in use, waited 3000 ms`;
}).join('\n');

export const kubernetesTools = {
  pods_list: () => `NAME                       READY  STATUS   RESTARTS  AGE
checkout-6f7d9c4b8-2xk9p   1/1    Running  0         12m
checkout-6f7d9c4b8-h7vqd   1/1    Running  0         12m
checkout-6f7d9c4b8-wm4tz   1/1    Running  0         11m`,
  events_list: () => EVENTS,
  pod_log: () => LOG,
  rollout_history: () => `REVISION  TIME   CHANGE
40        9d     checkout 2.18.0
41        02:41  checkout 2.18.0, env DB_POOL_SIZE 40 -> 10 ("save connections on the small database")`,
};

export const prometheusTools = {
  query: () => '34.2',
  query_range: ({ query }) =>
    query.includes('pool')
      ? '02:30 24\n02:36 26\n02:42 10\n02:48 10\n02:54 10'
      : '02:30 0.03\n02:36 0.04\n02:42 2.90\n02:48 6.11\n02:54 6.14',
};

export const ALERT = JSON.stringify({
  alertname: 'HighErrorRate',
  severity: 'critical',
  cluster: 'shop-eu-1',
  namespace: 'shop',
  service: 'checkout',
  summary: 'More than 5 % of requests to checkout fail for 10 minutes',
  started_at: '2026-11-15T02:51:30Z',
});
