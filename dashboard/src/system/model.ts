/** What the system page shows: how the parts around the investigations are doing. Pure. */
import type { McpServer, McpServerState, ReadyResponse, SystemWarning } from '../api/types';
import type { StatusLook } from '../ui/status';

const servers: Record<McpServerState, StatusLook> = {
  ready: { label: 'Ready', tone: 'good', mark: 'done' },
  on_demand: { label: 'Started on demand', tone: 'neutral', mark: 'waiting' },
  connecting: { label: 'Connecting', tone: 'active', mark: 'running' },
  restarting: { label: 'Being tried again', tone: 'warning', mark: 'partly' },
  failed: { label: 'Cannot be used', tone: 'bad', mark: 'failed' },
};

export const serverLook = (state: McpServerState): StatusLook => servers[state];

const readiness: Record<ReadyResponse['status'], StatusLook> = {
  ready: { label: 'Ready', tone: 'good', mark: 'done' },
  not_ready: { label: 'Not ready', tone: 'bad', mark: 'failed' },
  stopping: { label: 'Stopping', tone: 'warning', mark: 'stopping' },
};

const databases: Record<ReadyResponse['database'], StatusLook> = {
  reachable: { label: 'Reachable', tone: 'good', mark: 'done' },
  unreachable: { label: 'Does not answer', tone: 'bad', mark: 'failed' },
};

const usable: StatusLook = { label: 'Ready', tone: 'good', mark: 'done' };
const unusable: StatusLook = { label: 'Not set up', tone: 'neutral', mark: 'skipped' };

export interface Fact {
  name: string;
  /** A word with a colour, or a plain text. */
  value: StatusLook | string;
}

/** The server as a whole. */
export function readyFacts(
  { status, database, workers }: ReadyResponse,
  version: string | undefined,
): Fact[] {
  return [
    { name: 'Readiness', value: readiness[status] },
    { name: 'Database', value: databases[database] },
    { name: 'Workers', value: workersText(workers) },
    { name: 'Version', value: version ?? '…' },
  ];
}

function workersText({ configured, running, busy }: ReadyResponse['workers']): string {
  if (configured === 0) return 'None: this process only serves';
  const some = running < configured ? `${running} of ${configured} run` : `${running} run`;
  return `${some}, ${busy} busy`;
}

export interface ProviderRow {
  name: string;
  look: StatusLook;
}

/** Those that can be used come first. */
export function providerRows({ providers }: ReadyResponse): ProviderRow[] {
  const rows = providers.map(({ name, usable: isUsable }) => ({ name, look: isUsable ? usable : unusable }));
  return rows.toSorted((one, other) => Number(other.look === usable) - Number(one.look === usable));
}

export interface ServerRow {
  name: string;
  look: StatusLook;
  /** How it is reached and what it is. */
  remark: string;
  /** What went wrong last; not a fault of now if all is well again. */
  lastError: { text: string; isOver: boolean } | null;
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
  const remark = [transport, server, protocol_version && `MCP ${protocol_version}`]
    .filter(Boolean)
    .join(' · ');
  const prefix = `${name}.`;
  return {
    name,
    look: servers[state],
    remark,
    lastError: last_error === null ? null : { text: last_error, isOver: state === 'ready' },
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
