/** The selectable MCP servers and tools, and changes of the selection. Pure. */
import type { McpServer } from '../api/types';
import { toggle } from '../ui/choice';
import type { ToolChoice } from './form';

export type ServerChoices = Record<string, ToolChoice>;

export interface ServerChoice {
  name: string;
  isChosen: boolean;
  tools: { name: string; isChosen: boolean }[];
  hasAllTools: boolean;
  note: string;
}

/** Returns the configured servers, and servers of an earlier session that are no longer configured. */
export function serverChoices(known: readonly McpServer[], choices: ServerChoices): ServerChoice[] {
  const removed = Object.keys(choices).filter((name) => !known.some((server) => server.name === name));
  return [
    ...known.map((server) =>
      serverChoice(server.name, shortToolNames(server), noteOf(server), choices[server.name]),
    ),
    ...removed.map((name) => serverChoice(name, [], 'no longer configured', choices[name])),
  ];
}

function serverChoice(
  name: string,
  own: string[],
  note: string,
  choice: ToolChoice | undefined,
): ServerChoice {
  const chosen = choice === undefined || choice === 'all' ? [] : choice;
  const names = [...own, ...chosen.filter((tool) => !own.includes(tool))];
  return {
    name,
    isChosen: choice !== undefined,
    hasAllTools: choice === 'all',
    tools: names.map((tool) => ({ name: tool, isChosen: choice === 'all' || chosen.includes(tool) })),
    note,
  };
}

/** Tools are listed as `server.tool` and selected by their name on the server. */
function shortToolNames({ name, tools }: McpServer): string[] {
  const prefix = `${name}.`;
  return tools.map((tool) => (tool.startsWith(prefix) ? tool.slice(prefix.length) : tool));
}

function noteOf({ state, tools, last_error }: McpServer): string {
  switch (state) {
    case 'ready':
      return `${tools.length} tools`;
    case 'on_demand':
      return 'tools are listed after its first use';
    case 'connecting':
      return 'connecting';
    case 'restarting':
      return 'reconnecting';
    case 'failed':
      return `unavailable${last_error === null ? '' : `: ${last_error}`}`;
  }
}

export function toggleServer(choices: ServerChoices, name: string): ServerChoices {
  if (!(name in choices)) return { ...choices, [name]: 'all' };
  return Object.fromEntries(Object.entries(choices).filter(([other]) => other !== name));
}

/** Deselecting one of all tools keeps the others; selecting every tool is the same as `all`. */
export function toggleTool(choices: ServerChoices, server: ServerChoice, tool: string): ServerChoices {
  const all = server.tools.map(({ name }) => name);
  const chosen = server.tools.filter(({ isChosen }) => isChosen).map(({ name }) => name);
  const next = toggle(chosen, tool);
  return { ...choices, [server.name]: next.length === all.length ? 'all' : next };
}
