/** The runbook: a URL that the server fetches, or the text itself. */
import TextField from '@mui/material/TextField';

export interface RunbookFieldProps {
  runbook: string;
  problem: string | null;
  onChange: (runbook: string) => void;
}

export function RunbookField({ runbook, problem, onChange }: RunbookFieldProps) {
  return (
    <TextField
      label="Runbook"
      multiline
      maxRows={10}
      placeholder="https://github.com/…"
      value={runbook}
      onChange={({ target }) => onChange(target.value)}
      error={problem !== null}
      helperText={problem ?? 'URL or text of a runbook. Leave empty to use the configured one.'}
      slotProps={{ htmlInput: { dir: 'auto' }, inputLabel: { shrink: true } }}
    />
  );
}
