/** The form for an alert: what is in it, what is sent, and where in it the server found a fault. Pure. */
import type { McpSelection, SessionDetail, SubmitAlertRequest } from '../api/types';
import { sentence } from '../format/sentence';

/** All tools of a server, or some of them by the server's own names. */
export type ToolChoice = 'all' | string[];

export interface SubmitForm {
  /** Empty for the server's default. */
  alertType: string;
  data: string;
  runbook: string;
  /** The servers in place of those of the chain; null for those of the chain. */
  servers: Record<string, ToolChoice> | null;
  /** Taken over from an earlier session; the form does not change it. */
  nativeTools: McpSelection['native_tools'];
}

export const emptyForm: SubmitForm = {
  alertType: '',
  data: '',
  runbook: '',
  servers: null,
  nativeTools: null,
};

/** The alert of an earlier session, to be sent again. */
export function formOf({ alert_type, input }: SessionDetail): SubmitForm {
  // The server wrote this from the same selection that it takes.
  const selection = input.mcp as McpSelection | null;
  return {
    alertType: alert_type,
    data: input.alert_data,
    runbook: input.runbook ?? '',
    servers: selection?.servers
      ? Object.fromEntries(selection.servers.map(({ name, tools }) => [name, tools ?? 'all']))
      : null,
    nativeTools: selection?.native_tools ?? null,
  };
}

export function requestOf(form: SubmitForm): SubmitAlertRequest {
  const mcp = selectionOf(form);
  return {
    data: form.data,
    ...(form.alertType !== '' && { alert_type: form.alertType }),
    ...(form.runbook.trim() !== '' && { runbook: form.runbook.trim() }),
    ...(mcp && { mcp }),
  };
}

function selectionOf({ servers, nativeTools }: SubmitForm): McpSelection | null {
  if (!servers && !nativeTools) return null;
  const selected = Object.entries(servers ?? {}).map(([name, tools]) =>
    tools === 'all' ? { name } : { name, tools },
  );
  return { ...(servers && { servers: selected }), ...(nativeTools && { native_tools: nativeTools }) };
}

export type FormField = 'alertType' | 'data' | 'runbook' | 'servers';

export interface FormFault {
  /** Null for what is wrong with all of it, or with nothing in it. */
  field: FormField | null;
  problem: string;
}

/** What can be seen before anything is sent. */
export function faultBefore(form: SubmitForm): FormFault | null {
  if (form.data.trim() === '') return { field: 'data', problem: 'Say what is wrong: the data is empty.' };
  if (form.servers && Object.keys(form.servers).length === 0) {
    return { field: 'servers', problem: 'Choose at least one server, or use those of the chain.' };
  }
  const bare = Object.entries(form.servers ?? {}).find(([, tools]) => tools !== 'all' && tools.length === 0);
  return bare
    ? { field: 'servers', problem: `Choose at least one tool of ${bare[0]}, or all of them.` }
    : null;
}

const fields: Record<string, FormField> = {
  alert_type: 'alertType',
  data: 'data',
  runbook: 'runbook',
  mcp: 'servers',
};

/** The server begins with the path of what is wrong: `mcp.servers[0].name: …`, or `data is larger than …`. */
export function faultAfter(error: Error): FormFault {
  const [, top = '', problem] = /^(\w+)[\w.[\]]*: (.*)$/s.exec(error.message) ?? [];
  const [, first = ''] = /^(\w+) is larger /.exec(error.message) ?? [];
  const field = fields[top] ?? fields[first] ?? null;
  return { field, problem: sentence(fields[top] && problem !== undefined ? problem : error.message) };
}
