/** One row of the timeline. */
import Box from '@mui/material/Box';
import { Markdown } from '../../ui/Markdown';
import { PlainText } from '../../ui/PlainText';
import { EntryFrame } from './EntryFrame';
import { LiveEntry } from './LiveEntry';
import type { TimelineRow } from './row';
import { SectionHeading } from './SectionHeading';
import { SourceList } from './SourceList';
import { offsetIn } from './search';
import { ThoughtBody } from './ThoughtBody';
import { ToolBody } from './ToolBody';

/** The row that a link or a search leads to, and the search query in it. */
export interface ChosenRow {
  key: string;
  query: string;
}

export interface RowViewProps {
  row: TimelineRow;
  chosen: ChosenRow | null;
  onOpenTab: (section: string, executionId: string) => void;
}

export function RowView({ row, chosen, onOpenTab }: RowViewProps) {
  const query = chosen?.query ?? '';
  switch (row.kind) {
    case 'section':
      return <SectionHeading row={row} isChosen={chosen !== null} onOpenTab={onOpenTab} />;
    case 'live':
      return <LiveEntry row={row} />;
    case 'thought':
      return (
        <EntryFrame row={row} icon="thought" title="Thought" isChosen={chosen !== null}>
          <ThoughtBody text={row.text} forceOpen={chosen !== null} />
        </EntryFrame>
      );
    case 'prose':
      return (
        <EntryFrame
          row={row}
          icon={row.icon}
          title={row.title}
          isChosen={chosen !== null}
          {...(row.isResult ? { tone: 'good' } : {})}
        >
          <Box sx={{ maxWidth: '100ch' }}>
            {row.isMarkdown ? (
              <Markdown text={row.text} />
            ) : (
              <PlainText text={row.text} reveal={offsetIn(row.text, query)} />
            )}
            <SourceList sources={row.sources} />
          </Box>
        </EntryFrame>
      );
    case 'note':
      return (
        <EntryFrame row={row} icon={row.icon} title={row.title} tone={row.tone} isChosen={chosen !== null}>
          <PlainText text={row.text} reveal={offsetIn(row.text, query)} face="prose" />
        </EntryFrame>
      );
    case 'tool':
      return (
        <EntryFrame row={row} icon="tool" title="Tool" isChosen={chosen !== null}>
          <ToolBody row={row} query={query} forceOpen={chosen !== null} />
        </EntryFrame>
      );
  }
}
