/** The effective configuration, one section at a time. The server removes secrets from it. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../ui/CopyButton';
import { PlainText } from '../ui/PlainText';

export function Configuration({ config }: { config: Record<string, unknown> }) {
  return (
    <Paper variant="outlined" sx={{ minWidth: 0 }}>
      {Object.entries(config).map(([name, section]) => (
        <ConfigSection key={name} name={name} section={section} />
      ))}
    </Paper>
  );
}

function ConfigSection({ name, section }: { name: string; section: unknown }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Box
      component="details"
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      sx={{ px: 1.5, py: 0.75, '& + &': { borderTop: 1, borderColor: 'divider' } }}
    >
      <Box component="summary" sx={{ cursor: 'pointer', fontSize: 13, fontWeight: 600 }}>
        {name}
        <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontWeight: 400, fontSize: 12 }}>
          {sizeOf(section)}
        </Box>
      </Box>
      {isOpen && <ConfigYaml name={name} section={section} />}
    </Box>
  );
}

/** The section as YAML. The YAML library is loaded when the first section is opened. */
function ConfigYaml({ name, section }: { name: string; section: unknown }) {
  const { data: text } = useQuery({
    queryKey: ['system', 'written', name, section],
    queryFn: async () => (await import('yaml')).stringify({ [name]: section }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (text === undefined) return null;
  return (
    <Box sx={{ minWidth: 0, pb: 1 }}>
      <Box sx={{ display: 'flex', justifyContent: 'flex-end' }}>
        <CopyButton text={text} what={`the section ${name}`} />
      </Box>
      <PlainText text={text} />
    </Box>
  );
}

function sizeOf(section: unknown): string {
  const count = typeof section === 'object' && section !== null ? Object.keys(section).length : 1;
  return count === 1 ? '1 entry' : `${count} entries`;
}
