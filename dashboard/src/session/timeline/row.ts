/** The lines that a timeline is drawn as. */
import type { Moment } from '../../format/time';
import type { StreamPart } from '../../live/wire';
import type { IconName } from '../../ui/Icon';
import type { StatusLook } from '../../ui/status';
import type { Tone } from '../../ui/tone';
import type { StageCard } from '../chain';

interface FromEntries {
  key: string;
  /** The entries it is made of; links lead to any of them. */
  eventIds: string[];
  /** Whose it is; null if it is the session's own. */
  executionId: string | null;
  at: Moment;
}

/** What a model thought. */
export interface ThoughtRow extends FromEntries {
  kind: 'thought';
  text: string;
}

/** What a model said. */
export interface ProseRow extends FromEntries {
  kind: 'prose';
  title: string;
  icon: IconName;
  /** Whether it is what the work was for. */
  isResult: boolean;
  text: string;
}

/** A tool that was asked, and what it answered. */
export interface ToolRow extends FromEntries {
  kind: 'tool';
  server: string;
  tool: string;
  /** As JSON in lines. */
  arguments: string;
  look: StatusLook;
  /** Null until there is an answer. */
  result: string | null;
  /** Whether a model made the answer shorter. */
  isSummary: boolean;
  duration: string | null;
  remark: string | null;
  /** How the trace knows the call; null for one that it cannot know. */
  call: string | null;
  /** How far the tool is, in its own words. */
  progress: string | null;
}

/** Something to know. */
export interface NoteRow extends FromEntries {
  kind: 'note';
  title: string;
  icon: IconName;
  tone: Tone;
  text: string;
}

export type EntryRow = ThoughtRow | ProseRow | ToolRow | NoteRow;

/** A text that is being written. */
export interface LiveRow {
  kind: 'live';
  key: string;
  part: Exclude<StreamPart, 'tool_progress'>;
  text: string;
  isCut: boolean;
}

/** One of several who work in a stage. */
export interface Tab {
  executionId: string;
  name: string;
  look: StatusLook;
}

/** Where a part of the session begins. */
export interface SectionRow {
  kind: 'section';
  key: string;
  title: string;
  stage: StageCard | null;
  tabs: Tab[];
  /** The tab that is open, if there are several. */
  open: string | null;
}

export type Row = SectionRow | EntryRow | LiveRow;
