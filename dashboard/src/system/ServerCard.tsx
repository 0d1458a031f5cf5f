/** An MCP server: how it is, what went wrong last, and its tools. */
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
      <Box sx={{ color: 'text.secondary', fontSize: 12, overflowWrap: 'anywhere' }}>{row.remark}</Box>
      {row.lastError && <LastError {...row.lastError} />}
      <Tools name={row.name} tools={row.tools} />
    </Paper>
  );
}

function LastError({ text, isOver }: { text: string; isOver: boolean }) {
  return (
    <Box sx={{ color: isOver ? 'text.secondary' : 'error.main', fontSize: 12.5, overflowWrap: 'anywhere' }}>
      {isOver ? 'Earlier: ' : 'Error: '}
      <bdi>{text}</bdi>
    </Box>
  );
}

/** Their names come from the server, which is somebody else's program. */
function Tools({ name, tools }: { name: string; tools: readonly string[] }) {
  if (tools.length === 0)
    return <Box sx={{ color: 'text.secondary', fontSize: 12.5 }}>No tools are known yet.</Box>;
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
