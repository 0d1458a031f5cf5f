/** The alert form: its values, the request, and where to show errors. Pure. */
import type { McpSelection, SessionDetail, SubmitAlertRequest } from '../api/types';
import { toSentence } from '../format/sentence';

/** All tools of a server, or some of them by their names on that server. */
export type ToolChoice = 'all' | string[];

export interface SubmitForm {
  /** Empty for the server's default. */
  alertType: string;
  data: string;
  runbook: string;
  /** Overrides the servers of the chain; null uses those of the chain. */
  servers: Record<string, ToolChoice> | null;
  /** Copied from an earlier session; the form does not change it. */
  nativeTools: McpSelection['native_tools'];
}

export const emptyForm: SubmitForm = {
  alertType: '',
  data: '',
  runbook: '',
  servers: null,
  nativeTools: null,
};

/** Returns the form filled in from an earlier session. */
export function formFromSession({ alert_type, input }: SessionDetail): SubmitForm {
  // The server stores the selection in the format that it accepts.
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

export interface FormError {
  /** Null if the error does not belong to a field. */
  field: FormField | null;
  problem: string;
}

/** Validates the form before it is sent. */
export function validateForm(form: SubmitForm): FormError | null {
  if (form.data.trim() === '') return { field: 'data', problem: 'Enter the alert data; it is empty.' };
  if (form.servers && Object.keys(form.servers).length === 0) {
    return { field: 'servers', problem: 'Select at least one server, or use the servers of the chain.' };
  }
  const bare = Object.entries(form.servers ?? {}).find(([, tools]) => tools !== 'all' && tools.length === 0);
  return bare
    ? { field: 'servers', problem: `Select at least one tool of ${bare[0]}, or deselect the server.` }
    : null;
}

const fields: Record<string, FormField> = {
  alert_type: 'alertType',
  data: 'data',
  runbook: 'runbook',
  mcp: 'servers',
};

/**
 * Maps a server error to a field. Its message starts with the path of the value: `mcp.servers[0].name: …`, or
 * `data is larger than …`.
 */
export function formErrorOf(error: Error): FormError {
  const [, top = '', problem] = /^(\w+)[\w.[\]]*: (.*)$/s.exec(error.message) ?? [];
  const [, first = ''] = /^(\w+) is larger /.exec(error.message) ?? [];
  const field = fields[top] ?? fields[first] ?? null;
  return { field, problem: toSentence(fields[top] && problem !== undefined ? problem : error.message) };
}
