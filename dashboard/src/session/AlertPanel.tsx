/**
 * The alert data and the runbook. Long data is collapsed at first, so that it does not push the timeline
 * down.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import type { SessionDetail } from '../api/types';
import { CopyButton } from '../ui/CopyButton';
import { Markdown } from '../ui/Markdown';
import { safeUrl } from '../ui/markdownRules';
import { monospace } from '../ui/monospace';
import { PlainText } from '../ui/PlainText';
import { WHOLE_CHARACTERS } from '../ui/text';
import { type FormattedAlert, formatAlert, splitAtKey } from './alert';

const FEW_LINES = 14;

export function AlertPanel({ input }: { input: SessionDetail['input'] }) {
  const look = useMemo(() => formatAlert(input.alert_data), [input.alert_data]);
  const lines = useMemo(() => look.text.split('\n').length, [look]);
  const isLong = lines > FEW_LINES || look.text.length > WHOLE_CHARACTERS;
  const [isOpen, setIsOpen] = useState(!isLong);
  return (
    <Paper
      component="section"
      variant="outlined"
      aria-labelledby="alert-title"
      sx={{ px: 2, py: 1.5, minWidth: 0 }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <Typography id="alert-title" component="h2" variant="h6" sx={{ flex: 1 }}>
          Alert{' '}
          <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontSize: 13, fontWeight: 400 }}>
            {look.form}, {lines} {lines === 1 ? 'line' : 'lines'}
          </Box>
        </Typography>
        <CopyButton text={input.alert_data} what="the alert" />
        {isLong && (
          <Button variant="text" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        )}
      </Box>
      {isOpen && (
        <Box sx={{ mt: 1 }}>
          <AlertText look={look} />
        </Box>
      )}
      {input.runbook !== null && <Runbook runbook={input.runbook} />}
    </Paper>
  );
}

function AlertText({ look }: { look: FormattedAlert }) {
  if (look.form === 'Text' || look.text.length > WHOLE_CHARACTERS) return <PlainText text={look.text} />;
  const lines = look.text.split('\n').map((line, number) => ({ number, ...splitAtKey(line) }));
  return (
    <Box component="pre" sx={{ ...monospace, m: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {lines.map(({ number, key, rest }) => (
        <Box
          key={number}
          component="span"
          sx={{ display: 'block', minHeight: '1lh', unicodeBidi: 'plaintext' }}
        >
          <Box component="span" sx={{ color: 'primary.main' }}>
            {key}
          </Box>
          {rest}
        </Box>
      ))}
    </Box>
  );
}

function Runbook({ runbook }: { runbook: string }) {
  const url = safeUrl(runbook.trim());
  return (
    <Box sx={{ mt: 1.5, pt: 1, borderTop: 1, borderColor: 'divider', overflowWrap: 'anywhere' }}>
      <Box component="span" sx={{ color: 'text.secondary', fontSize: 12 }}>
        Runbook
      </Box>
      {url === null ? <PlainText text={runbook} /> : <Markdown text={`<${url}>`} />}
    </Box>
  );
}
