/** The alert data in any format. The detected format is shown while the user types. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { monospace } from '../ui/monospace';
import { examples } from './examples';
import { formatHint } from './format';
import { formatQuery } from './query';

export interface DataFieldProps {
  data: string;
  problem: string | null;
  onChange: (data: string) => void;
}

export function DataField({ data, problem, onChange }: DataFieldProps) {
  const { data: format } = useQuery(formatQuery(useDeferredValue(data)));
  const hint = format ? formatHint(format) : null;
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      <TextField
        label="Alert data"
        required
        multiline
        minRows={9}
        maxRows={24}
        value={data}
        onChange={({ target }) => onChange(target.value)}
        error={problem !== null || hint?.isError === true}
        helperText={problem ?? hint?.text ?? ' '}
        slotProps={{
          htmlInput: { spellCheck: false, dir: 'auto', sx: { ...monospace, fontSize: 12.5 } },
          inputLabel: { shrink: true },
          formHelperText: { role: 'status' },
        }}
      />
      <Box sx={{ display: 'flex', gap: 0.5, alignItems: 'center', fontSize: 12.5, color: 'text.secondary' }}>
        Examples:
        {examples.map((example) => (
          <Button
            key={example.name}
            variant="text"
            sx={{ minWidth: 0, py: 0 }}
            onClick={() => onChange(example.data)}
          >
            {example.name}
          </Button>
        ))}
      </Box>
    </Box>
  );
}
