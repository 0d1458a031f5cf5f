/** The content of the system page. Pure. */
import type { McpServer, McpServerState, ReadyResponse, SystemWarning } from '../api/types';
import type { StatusLook } from '../ui/status';

const servers: Record<McpServerState, StatusLook> = {
  ready: { label: 'Ready', tone: 'good', mark: 'done' },
  on_demand: { label: 'Started on demand', tone: 'neutral', mark: 'waiting' },
  connecting: { label: 'Connecting', tone: 'active', mark: 'running' },
  restarting: { label: 'Reconnecting', tone: 'warning', mark: 'partly' },
  failed: { label: 'Unavailable', tone: 'bad', mark: 'failed' },
};

export const serverLook = (state: McpServerState): StatusLook => servers[state];

const readiness: Record<ReadyResponse['status'], StatusLook> = {
  ready: { label: 'Ready', tone: 'good', mark: 'done' },
  not_ready: { label: 'Not ready', tone: 'bad', mark: 'failed' },
  stopping: { label: 'Stopping', tone: 'warning', mark: 'stopping' },
};

const databases: Record<ReadyResponse['database'], StatusLook> = {
  reachable: { label: 'Reachable', tone: 'good', mark: 'done' },
  unreachable: { label: 'Unreachable', tone: 'bad', mark: 'failed' },
};

const usable: StatusLook = { label: 'Ready', tone: 'good', mark: 'done' };
const unusable: StatusLook = { label: 'Not configured', tone: 'neutral', mark: 'skipped' };

export interface SystemFact {
  name: string;
  /** A status, or plain text. */
  value: StatusLook | string;
}

/** Returns the facts about the server process. */
export function readyFacts(
  { status, database, workers }: ReadyResponse,
  version: string | undefined,
): SystemFact[] {
  return [
    { name: 'Readiness', value: readiness[status] },
    { name: 'Database', value: databases[database] },
    { name: 'Workers', value: workersText(workers) },
    { name: 'Version', value: version ?? '…' },
  ];
}

function workersText({ configured, running, busy }: ReadyResponse['workers']): string {
  if (configured === 0) return 'None (this process only serves requests)';
  const some = running < configured ? `${running} of ${configured} running` : `${running} running`;
  return `${some}, ${busy} busy`;
}

export interface ProviderRow {
  name: string;
  look: StatusLook;
}

/** Lists usable providers first. */
export function providerRows({ providers }: ReadyResponse): ProviderRow[] {
  const rows = providers.map(({ name, usable: isUsable }) => ({ name, look: isUsable ? usable : unusable }));
  return rows.toSorted((one, other) => Number(other.look === usable) - Number(one.look === usable));
}

export interface ServerRow {
  name: string;
  look: StatusLook;
  /** Transport, server name and protocol version. */
  summary: string;
  /** The last error; `isResolved` if the server has recovered. */
  lastError: { text: string; isResolved: boolean } | null;
  tools: string[];
}

export function serverRow({
  name,
  state,
  transport,
  server,
  protocol_version,
  last_error,
  tools,
}: McpServer): ServerRow {
  const summary = [transport, server, protocol_version && `MCP ${protocol_version}`]
    .filter(Boolean)
    .join(' · ');
  const prefix = `${name}.`;
  return {
    name,
    look: servers[state],
    summary,
    lastError: last_error === null ? null : { text: last_error, isResolved: state === 'ready' },
    tools: tools.map((tool) => (tool.startsWith(prefix) ? tool.slice(prefix.length) : tool)),
  };
}

const categories: Record<SystemWarning['category'], string> = {
  config: 'Configuration',
  mcp_server: 'MCP server',
  provider: 'Model provider',
  prompt: 'Prompt',
};

export const warningTitle = ({ category, subject }: SystemWarning): string =>
  `${categories[category]}: ${subject}`;
