/** A tool call on one line. Arguments and result are collapsed. */
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import { useState } from 'react';
import { tracePagePath } from '../../app/pagePaths';
import { BoxLink } from '../../ui/BoxLink';
import { CopyButton } from '../../ui/CopyButton';
import { Icon } from '../../ui/Icon';
import { monospace } from '../../ui/monospace';
import { PlainText } from '../../ui/PlainText';
import { Status } from '../../ui/Status';
import { sessionRoute } from '../route';
import type { ToolRow } from './row';
import { offsetIn } from './search';

export interface ToolBodyProps {
  row: ToolRow;
  query: string;
  forceOpen: boolean;
}

export function ToolBody({ row, query, forceOpen }: ToolBodyProps) {
  const [userChoice, setUserChoice] = useState<boolean | null>(null);
  const isOpen = userChoice ?? (forceOpen || row.look.tone === 'bad');
  return (
    <Box>
      <ButtonBase aria-expanded={isOpen} onClick={() => setUserChoice(!isOpen)} sx={line}>
        <Icon name={isOpen ? 'down' : 'right'} size={12} />
        <Box component="span" sx={{ ...monospace, fontWeight: 600, overflowWrap: 'anywhere' }}>
          {row.server === '' ? row.tool : `${row.server}.${row.tool}`}
        </Box>
        <Box component="span" sx={{ display: 'inline-flex', fontSize: 12 }}>
          <Status look={row.look} size={14} />
        </Box>
        {row.duration !== null && <Muted text={row.duration} />}
        {row.isSummary && <Muted text="summarized" />}
        {row.note !== null && <Muted text={row.note} />}
      </ButtonBase>
      {row.progress !== null && row.progress !== '' && (
        <Box role="status" sx={{ color: 'text.secondary', mt: 0.5, overflowWrap: 'anywhere' }}>
          {row.progress}
        </Box>
      )}
      {isOpen && (
        <Box sx={{ display: 'grid', gap: 1, mt: 1 }}>
          {row.arguments !== '' && (
            <Part title="Arguments" what="the arguments" text={row.arguments} query={query} />
          )}
          {row.result !== null && (
            <Part
              title={row.isSummary ? 'Result (summarized)' : 'Result'}
              what="the result"
              text={row.result}
              query={query}
            />
          )}
          {row.call !== null && row.result !== null && <TraceLink call={row.call} />}
        </Box>
      )}
    </Box>
  );
}

/** The trace has the full result, also where the agent received a shorter one. */
function TraceLink({ call }: { call: string }) {
  const { sessionId } = sessionRoute.useParams();
  return (
    <BoxLink to={tracePagePath(sessionId, call)} sx={{ color: 'primary.main', fontSize: 12 }}>
      Show this call in the trace
    </BoxLink>
  );
}

function Muted({ text }: { text: string }) {
  return (
    <Box component="span" sx={{ color: 'text.secondary', fontSize: 12, fontVariantNumeric: 'tabular-nums' }}>
      {text}
    </Box>
  );
}

interface PartProps {
  title: string;
  what: string;
  text: string;
  query: string;
}

function Part({ title, what, text, query }: PartProps) {
  return (
    <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, bgcolor: 'action.hover', minWidth: 0 }}>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', alignItems: 'center', px: 1, pt: 0.25 }}>
        <Muted text={title} />
        <CopyButton text={text} what={what} />
      </Box>
      <Box sx={{ px: 1, pb: 1 }}>
        {text === '' ? <Muted text="empty" /> : <PlainText text={text} reveal={offsetIn(text, query)} />}
      </Box>
    </Box>
  );
}

const line = {
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'flex-start',
  columnGap: 1,
  rowGap: 0.25,
  maxWidth: '100%',
  px: 0.5,
  mx: -0.5,
  borderRadius: 1,
  font: 'inherit',
  textAlign: 'left',
  '&:hover': { bgcolor: 'action.hover' },
  '&:focus-visible': { outline: 2, outlineColor: 'primary.main' },
};
