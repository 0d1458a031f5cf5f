/**
 * The content of one call: the conversation with the reply, and the raw request and response as JSON. Pure.
 */
import type { LlmInteraction, McpInteraction, Message } from '../api/types';

/** A message, a result or an error of a call. */
export interface CallPart {
  title: string;
  /** Decides the color of the border. */
  speaker: Message['role'] | 'failure';
  /** Whether it was received, not sent. */
  isResponse: boolean;
  /** Whether it is expanded at first; long instructions are not. */
  isOpen: boolean;
  blocks: CallBlock[];
}

export interface CallBlock {
  label: string | null;
  text: string;
}

export interface CallDetail {
  parts: CallPart[];
  request: string;
  response: string;
}

const roles: Record<Message['role'], string> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool result',
};

export function llmDetail(call: LlmInteraction): CallDetail {
  const sent = call.conversation.map((message, index) =>
    sentPart(message, index === call.conversation.length - 1),
  );
  return {
    parts: [...sent, ...replyParts(call)],
    request: pretty({ provider: call.provider, model: call.model, messages: call.conversation }),
    response: pretty(call.reply ?? call.failure ?? { error: call.error_message }),
  };
}

function sentPart(message: Message, isLast: boolean): CallPart {
  const calls = (message.tool_calls ?? []).map((toolCall) => ({
    label: `Calls ${toolCall.name}`,
    text: prettyText(toolCall.arguments),
  }));
  return {
    title: message.tool_name ? `${roles[message.role]} · ${message.tool_name}` : roles[message.role],
    speaker: message.role,
    isResponse: false,
    isOpen: isLast,
    blocks: [...(message.content === '' ? [] : [{ label: null, text: message.content }]), ...calls],
  };
}

function replyParts({ reply, failure, error_message }: LlmInteraction): CallPart[] {
  if (reply) {
    const blocks = [
      { label: 'Thinking', text: reply.thinking ?? '' },
      { label: null, text: reply.text },
      ...(reply.code_executions ?? []).flatMap(({ code, result }) => [
        { label: 'Code', text: code },
        { label: 'Output', text: result },
      ]),
      ...(reply.tool_calls ?? []).map((toolCall) => ({
        label: `Calls ${toolCall.name}`,
        text: prettyText(toolCall.arguments),
      })),
    ];
    return [
      responsePart(
        'Reply',
        'assistant',
        blocks.filter((block) => block.text !== ''),
      ),
    ];
  }
  if (failure) {
    const partial = failure.partial_text ? [{ label: 'Partial reply', text: failure.partial_text }] : [];
    const kind = failure.kind.replaceAll('_', ' ');
    return [
      responsePart(`No reply: ${kind}`, 'failure', [{ label: null, text: failure.message }, ...partial]),
    ];
  }
  return error_message === null
    ? []
    : [responsePart('No reply', 'failure', [{ label: null, text: error_message }])];
}

export function mcpDetail(call: McpInteraction): CallDetail {
  const delivered = call.told && call.told.content !== call.result ? call.told.content : null;
  const parts = [
    call.arguments !== null && {
      ...responsePart('Arguments', 'assistant', [{ label: null, text: prettyText(call.arguments) }]),
      isResponse: false,
    },
    call.error_message !== null &&
      responsePart('Error', 'failure', [{ label: null, text: call.error_message }]),
    call.result !== null && responsePart('Result (masked)', 'tool', [{ label: null, text: call.result }]),
    delivered !== null &&
      responsePart('Result as delivered to the agent', 'tool', [{ label: null, text: delivered }]),
  ];
  return {
    parts: parts.filter((part) => part !== false),
    request: pretty({ server: call.server, tool: call.tool, arguments: parsed(call.arguments) }),
    response: pretty({ result: call.result, error: call.error_message, told: call.told }),
  };
}

const responsePart = (title: string, speaker: CallPart['speaker'], blocks: CallBlock[]): CallPart => ({
  title,
  speaker,
  isResponse: true,
  isOpen: true,
  blocks,
});

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** Indents JSON objects; other text is unchanged. */
function prettyText(text: string): string {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? pretty(value) : text;
}

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
