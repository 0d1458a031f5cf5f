/** What is told of one call: the conversation with the reply at its end, and the same as JSON for machines. Pure. */
import type { LlmInteraction, McpInteraction, Message } from '../api/types';

/** A piece of what was said. */
export interface Part {
  title: string;
  /** Who speaks decides the colour of the edge. */
  speaker: Message['role'] | 'failure';
  /** Whether it came back, rather than being sent. */
  isAnswer: boolean;
  /** Whether it is worth looking at first; long instructions are not. */
  isOpen: boolean;
  blocks: Block[];
}

export interface Block {
  label: string | null;
  text: string;
}

export interface CallDetail {
  parts: Part[];
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
  const sent = call.conversation.map((message, place) =>
    sentPart(message, place === call.conversation.length - 1),
  );
  return {
    parts: [...sent, ...replyParts(call)],
    request: pretty({ provider: call.provider, model: call.model, messages: call.conversation }),
    response: pretty(call.reply ?? call.failure ?? { error: call.error_message }),
  };
}

function sentPart(message: Message, isLast: boolean): Part {
  const calls = (message.tool_calls ?? []).map((asked) => ({
    label: `Calls ${asked.name}`,
    text: prettyText(asked.arguments),
  }));
  return {
    title: message.tool_name ? `${roles[message.role]} · ${message.tool_name}` : roles[message.role],
    speaker: message.role,
    isAnswer: false,
    isOpen: isLast,
    blocks: [...(message.content === '' ? [] : [{ label: null, text: message.content }]), ...calls],
  };
}

function replyParts({ reply, failure, error_message }: LlmInteraction): Part[] {
  if (reply) {
    const blocks = [
      { label: 'Thinking', text: reply.thinking ?? '' },
      { label: null, text: reply.text },
      ...(reply.code_executions ?? []).flatMap(({ code, result }) => [
        { label: 'Runs code', text: code },
        { label: 'Which printed', text: result },
      ]),
      ...(reply.tool_calls ?? []).map((asked) => ({
        label: `Calls ${asked.name}`,
        text: prettyText(asked.arguments),
      })),
    ];
    return [
      answer(
        'Reply',
        'assistant',
        blocks.filter((block) => block.text !== ''),
      ),
    ];
  }
  if (failure) {
    const partial = failure.partial_text ? [{ label: 'What had arrived', text: failure.partial_text }] : [];
    const kind = failure.kind.replaceAll('_', ' ');
    return [answer(`No reply: ${kind}`, 'failure', [{ label: null, text: failure.message }, ...partial])];
  }
  return error_message === null
    ? []
    : [answer('No reply', 'failure', [{ label: null, text: error_message }])];
}

export function mcpDetail(call: McpInteraction): CallDetail {
  const told = call.told && call.told.content !== call.result ? call.told.content : null;
  const parts = [
    call.arguments !== null && {
      ...answer('Arguments', 'assistant', [{ label: null, text: prettyText(call.arguments) }]),
      isAnswer: false,
    },
    call.error_message !== null && answer('Error', 'failure', [{ label: null, text: call.error_message }]),
    call.result !== null && answer('Result, masked', 'tool', [{ label: null, text: call.result }]),
    told !== null && answer('What the agent was told', 'tool', [{ label: null, text: told }]),
  ];
  return {
    parts: parts.filter((part) => part !== false),
    request: pretty({ server: call.server, tool: call.tool, arguments: parsed(call.arguments) }),
    response: pretty({ result: call.result, error: call.error_message, told: call.told }),
  };
}

const answer = (title: string, speaker: Part['speaker'], blocks: Block[]): Part => ({
  title,
  speaker,
  isAnswer: true,
  isOpen: true,
  blocks,
});

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** JSON as a reader likes it; anything else as it is. */
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
