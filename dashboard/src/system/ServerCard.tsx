/** An MCP server: state, last error and tools. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useId } from 'react';
import { monospace } from '../ui/monospace';
import { Status } from '../ui/Status';
import type { ServerRow } from './model';

export function ServerCard({ row }: { row: ServerRow }) {
  const heading = useId();
  return (
    <Paper
      component="article"
      variant="outlined"
      aria-labelledby={heading}
      sx={{ p: 1.5, display: 'grid', gap: 0.75, alignContent: 'start', minWidth: 0, fontSize: 13 }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', columnGap: 1.5 }}>
        <Box
          component="h3"
          id={heading}
          sx={{ m: 0, fontSize: 14, fontWeight: 600, overflowWrap: 'anywhere' }}
        >
          {row.name}
        </Box>
        <Status look={row.look} size={14} />
      </Box>
      <Box sx={{ color: 'text.secondary', fontSize: 12, overflowWrap: 'anywhere' }}>{row.summary}</Box>
      {row.lastError && <LastError {...row.lastError} />}
      <Tools name={row.name} tools={row.tools} />
    </Paper>
  );
}

function LastError({ text, isResolved }: { text: string; isResolved: boolean }) {
  return (
    <Box
      sx={{ color: isResolved ? 'text.secondary' : 'error.main', fontSize: 12.5, overflowWrap: 'anywhere' }}
    >
      {isResolved ? 'Last error (resolved): ' : 'Error: '}
      <bdi>{text}</bdi>
    </Box>
  );
}

/** Tool names come from the server and are untrusted. */
function Tools({ name, tools }: { name: string; tools: readonly string[] }) {
  if (tools.length === 0)
    return <Box sx={{ color: 'text.secondary', fontSize: 12.5 }}>No tools loaded yet.</Box>;
  return (
    <details>
      <Box component="summary" sx={{ cursor: 'pointer', fontSize: 12.5 }}>
        {tools.length} {tools.length === 1 ? 'tool' : 'tools'}
      </Box>
      <Box
        component="ul"
        aria-label={`Tools of ${name}`}
        sx={{ ...monospace, m: 0, mt: 0.5, pl: 2, columns: '14rem', fontSize: 12 }}
      >
        {tools.map((tool) => (
          <li key={tool}>
            <bdi>{tool}</bdi>
          </li>
        ))}
      </Box>
    </details>
  );
}
