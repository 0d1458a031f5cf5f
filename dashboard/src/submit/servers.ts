/** Which servers and tools can be chosen, and what a press makes of the choice. Pure. */
import type { McpServer } from '../api/types';
import { toggled } from '../ui/choice';
import type { ToolChoice } from './form';

export type ServerChoices = Record<string, ToolChoice>;

export interface ServerChoice {
  name: string;
  isChosen: boolean;
  tools: { name: string; isChosen: boolean }[];
  hasAllTools: boolean;
  remark: string;
}

/** The servers of the configuration, and those of an earlier session that are not in it any more. */
export function serverChoices(known: readonly McpServer[], choices: ServerChoices): ServerChoice[] {
  const gone = Object.keys(choices).filter((name) => !known.some((server) => server.name === name));
  return [
    ...known.map((server) =>
      serverChoice(server.name, ownNames(server), remarkOf(server), choices[server.name]),
    ),
    ...gone.map((name) => serverChoice(name, [], 'not in the configuration any more', choices[name])),
  ];
}

function serverChoice(
  name: string,
  own: string[],
  remark: string,
  choice: ToolChoice | undefined,
): ServerChoice {
  const chosen = choice === undefined || choice === 'all' ? [] : choice;
  const names = [...own, ...chosen.filter((tool) => !own.includes(tool))];
  return {
    name,
    isChosen: choice !== undefined,
    hasAllTools: choice === 'all',
    tools: names.map((tool) => ({ name: tool, isChosen: choice === 'all' || chosen.includes(tool) })),
    remark,
  };
}

/** Tools are told as `server.tool`, and are chosen by the name that the server has for them. */
function ownNames({ name, tools }: McpServer): string[] {
  const prefix = `${name}.`;
  return tools.map((tool) => (tool.startsWith(prefix) ? tool.slice(prefix.length) : tool));
}

function remarkOf({ state, tools, last_error }: McpServer): string {
  switch (state) {
    case 'ready':
      return `${tools.length} tools`;
    case 'on_demand':
      return 'its tools are known once it was used';
    case 'connecting':
      return 'connecting';
    case 'restarting':
      return 'being tried again';
    case 'failed':
      return `cannot be used now${last_error === null ? '' : `: ${last_error}`}`;
  }
}

export function serverToggled(choices: ServerChoices, name: string): ServerChoices {
  if (!(name in choices)) return { ...choices, [name]: 'all' };
  return Object.fromEntries(Object.entries(choices).filter(([other]) => other !== name));
}

/** Giving up one tool of all leaves the others; taking all of them is the same as all. */
export function toolToggled(choices: ServerChoices, server: ServerChoice, tool: string): ServerChoices {
  const all = server.tools.map(({ name }) => name);
  const chosen = server.tools.filter(({ isChosen }) => isChosen).map(({ name }) => name);
  const next = toggled(chosen, tool);
  return { ...choices, [server.name]: next.length === all.length ? 'all' : next };
}
