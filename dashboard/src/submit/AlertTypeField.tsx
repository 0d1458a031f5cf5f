/** The alert type, which selects the chain. */
import TextField from '@mui/material/TextField';
import type { AlertTypes } from '../api/types';

export interface AlertTypeFieldProps {
  types: AlertTypes;
  chosen: string;
  problem: string | null;
  onChange: (alertType: string) => void;
}

export function AlertTypeField({ types, chosen, problem, onChange }: AlertTypeFieldProps) {
  const names = types.alert_types.map((type) => type.alert_type);
  const effective = chosen === '' ? types.default_alert_type : chosen;
  const type = types.alert_types.find((known) => known.alert_type === effective);
  const description = type ? [`Chain ${type.chain_id}`, type.description].filter(Boolean).join(': ') : null;
  return (
    <TextField
      select
      size="small"
      label="Alert type"
      value={chosen}
      onChange={({ target }) => onChange(target.value)}
      error={problem !== null}
      helperText={problem ?? description ?? 'No chain is configured for this alert type.'}
      slotProps={{ select: { native: true }, inputLabel: { shrink: true } }}
    >
      <option value="">Default ({types.default_alert_type})</option>
      {/* A resubmitted session may have a type that no longer exists. */}
      {chosen !== '' && !names.includes(chosen) && <option value={chosen}>{chosen}</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </TextField>
  );
}
