/** Builders for parts of a session; a test overrides what matters to it. */
import type { Execution, SessionDetail, Stage, TimelineEntry } from '../api/types';
import type { ChannelMessage, ChunkData, EntryData } from '../live/wire';
import { session } from './server';

export const SESSION_ID = '019a8000-0000-7000-8000-000000000001';
const CHANNEL = `session:${SESSION_ID}` as const;
const AT_US = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000;

export const at = (seconds: number): number => AT_US + seconds * 1_000_000;

export function execution(overrides: Partial<Execution> = {}): Execution {
  return {
    execution_id: 'execution-1',
    kind: 'agent',
    agent_index: 0,
    agent_name: 'KubernetesAgent',
    iteration_strategy: 'native-thinking',
    llm_provider: 'recorded',
    status: 'completed',
    started_at_us: at(1),
    completed_at_us: at(5),
    duration_ms: 4_000,
    final_analysis: null,
    error_message: null,
    llm_interactions: 2,
    mcp_interactions: 1,
    input_tokens: 100,
    output_tokens: 20,
    thinking_tokens: 5,
    cached_tokens: 0,
    ...overrides,
  };
}

export function stage(overrides: Partial<Stage> = {}): Stage {
  return {
    stage_id: 'stage-1',
    stage_index: 0,
    name: 'collect',
    status: 'completed',
    started_at_us: at(1),
    completed_at_us: at(5),
    duration_ms: 4_000,
    agents: ['KubernetesAgent'],
    analysis: null,
    error_message: null,
    routing_reason: null,
    executions: [execution()],
    ...overrides,
  };
}

export function alertInput(overrides: Partial<SessionDetail['input']> = {}): SessionDetail['input'] {
  return {
    alert_data: 'The shop is slow.',
    runbook: null,
    mcp: null,
    environment: 'production',
    severity: 'warning',
    slack_message_fingerprint: null,
    ...overrides,
  };
}

export function detail(overrides: Partial<SessionDetail> = {}): SessionDetail {
  const { hit: _hit, ...summary } = session({ started_at_us: at(1), completed_at_us: at(65) });
  return {
    ...summary,
    executive_summary: null,
    final_analysis: null,
    cancel_requested_at_us: null,
    cancel_requested_by: null,
    interrupted_ms: 0,
    worker: null,
    timeline_events: 0,
    last_event_id: 0,
    input: alertInput(),
    chain: { chat: {} },
    stages: [stage()],
    executions: [],
    ...overrides,
  };
}

export function entry(position: number, overrides: Partial<TimelineEntry> = {}): TimelineEntry {
  return {
    timeline_event_id: `entry-${position}`,
    position,
    stage_id: 'stage-1',
    execution_id: 'execution-1',
    sequence: position,
    event_type: 'llm_response',
    content: `text ${position}`,
    metadata: {},
    created_at_us: at(position),
    completed_at_us: at(position),
    ...overrides,
  };
}

export function entryMessage(event_id: number, data: Partial<EntryData>): ChannelMessage {
  return {
    type: 'timeline_event.completed',
    channel: CHANNEL,
    event_id,
    at_us: at(event_id),
    data: {
      session_id: SESSION_ID,
      timeline_event_id: `entry-${event_id}`,
      stage_id: 'stage-1',
      execution_id: 'execution-1',
      event_type: 'llm_response',
      content: `text ${event_id}`,
      metadata: {},
      position: event_id,
      created_at_us: at(event_id),
      ...data,
    },
  };
}

export function chunk(text: string, data: Partial<ChunkData> = {}): ChannelMessage {
  return {
    type: 'stream.chunk',
    channel: CHANNEL,
    data: {
      session_id: SESSION_ID,
      stage_id: 'stage-1',
      execution_id: 'execution-1',
      interaction_id: 'call-1',
      part: 'text',
      from_start: false,
      text,
      ...data,
    },
  };
}
