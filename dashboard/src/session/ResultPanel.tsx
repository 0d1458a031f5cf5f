/** The result of an investigation: the executive summary, then the final analysis. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { CopyButton } from '../ui/CopyButton';
import { Markdown } from '../ui/Markdown';

export interface ResultPanelProps {
  summary: string | null;
  analysis: string | null;
}

export function ResultPanel({ summary, analysis }: ResultPanelProps) {
  if (summary === null && analysis === null) return null;
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      {summary !== null && (
        <Result id="summary" title="Executive summary" what="the summary" text={summary} />
      )}
      {analysis !== null && (
        <Result id="analysis" title="Final analysis" what="the analysis" text={analysis} />
      )}
    </Box>
  );
}

interface ResultProps {
  id: string;
  title: string;
  what: string;
  text: string;
}

function Result({ id, title, what, text }: ResultProps) {
  return (
    <Paper
      component="section"
      variant="outlined"
      aria-labelledby={`${id}-title`}
      sx={{ px: 2, py: 1.5, minWidth: 0 }}
    >
      <Box sx={{ display: 'flex', justifyContent: 'space-between', alignItems: 'center', mb: 1 }}>
        <Typography id={`${id}-title`} component="h2" variant="h6">
          {title}
        </Typography>
        <CopyButton text={text} what={what} />
      </Box>
      <Box sx={{ maxWidth: '100ch' }}>
        <Markdown text={text} />
      </Box>
    </Paper>
  );
}
