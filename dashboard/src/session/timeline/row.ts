/** Row types of the timeline. */
import type { Moment } from '../../format/time';
import type { StreamPart } from '../../live/wire';
import type { IconName } from '../../ui/Icon';
import type { StatusLook } from '../../ui/status';
import type { Tone } from '../../ui/tone';
import type { StageCard } from '../chain';

interface EntryRowBase {
  key: string;
  /** The entries that the row shows; a link may lead to any of them. */
  eventIds: string[];
  /** Null for entries of the session itself. */
  executionId: string | null;
  at: Moment;
}

/** Reasoning of a model. */
export interface ThoughtRow extends EntryRowBase {
  kind: 'thought';
  text: string;
}

/** Text of a model. */
export interface ProseRow extends EntryRowBase {
  kind: 'prose';
  title: string;
  icon: IconName;
  /** Whether it is the result of the execution. */
  isResult: boolean;
  /** Whether the text is Markdown; else it is shown as it is. */
  isMarkdown: boolean;
  text: string;
  /** Web pages that the text is based on. */
  sources: readonly WebSource[];
}

/** A web page that a model used. Both texts are untrusted. */
export interface WebSource {
  /** Empty if only the title is known. */
  uri: string;
  title: string;
}

/** A tool call with its result. */
export interface ToolRow extends EntryRowBase {
  kind: 'tool';
  server: string;
  tool: string;
  /** Indented JSON. */
  arguments: string;
  look: StatusLook;
  /** Null until the result arrives. */
  result: string | null;
  /** Whether a model summarized the result. */
  isSummary: boolean;
  duration: string | null;
  note: string | null;
  /** Identifies the call in the trace; null if it is not recorded there. */
  call: string | null;
  /** Progress text of the tool. */
  progress: string | null;
}

/** A warning, an error or another notice. */
export interface NoteRow extends EntryRowBase {
  kind: 'note';
  title: string;
  icon: IconName;
  tone: Tone;
  text: string;
}

export type EntryRow = ThoughtRow | ProseRow | ToolRow | NoteRow;

/** A text that is being streamed. */
export interface LiveRow {
  kind: 'live';
  key: string;
  part: Exclude<StreamPart, 'tool_progress'>;
  text: string;
  isTruncated: boolean;
}

/** The tab of one of several agents of a stage. */
export interface AgentTab {
  executionId: string;
  name: string;
  look: StatusLook;
}

/** The heading of a section. */
export interface SectionRow {
  kind: 'section';
  key: string;
  title: string;
  stage: StageCard | null;
  tabs: AgentTab[];
  /** The open tab, or null if there are no tabs. */
  open: string | null;
}

export type TimelineRow = SectionRow | EntryRow | LiveRow;
