/** From when to when: one of some ranges that end now, or two exact local times. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { isRange, rangeLabel, type SessionFilters, timeRanges } from './filters';

const CUSTOM = 'custom';

export interface TimeFilterProps {
  filters: SessionFilters;
  onChange: (change: Partial<Record<'range' | 'from' | 'to', string>>) => void;
}

export function TimeFilter({ filters, onChange }: TimeFilterProps) {
  const [wantsExact, setWantsExact] = useState(false);
  const isExact = wantsExact || filters.from !== undefined || filters.to !== undefined;
  const choose = (chosen: string) => {
    setWantsExact(chosen === CUSTOM);
    onChange(isRange(chosen) ? { range: chosen } : {});
  };
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      <TextField
        select
        size="small"
        value={isExact ? CUSTOM : (filters.range ?? '')}
        onChange={({ target }) => choose(target.value)}
        slotProps={{ select: { native: true }, htmlInput: { 'aria-label': 'Time range' } }}
      >
        <option value="">Any time</option>
        {timeRanges.map((range) => (
          <option key={range} value={range}>
            {rangeLabel(range)}
          </option>
        ))}
        <option value={CUSTOM}>Exact times…</option>
      </TextField>
      {isExact &&
        (['from', 'to'] as const).map((end) => (
          <TextField
            key={end}
            size="small"
            type="datetime-local"
            value={filters[end] ?? ''}
            onChange={({ target }) =>
              onChange({
                ...exactTimes(filters),
                ...(target.value ? { [end]: target.value } : { [end]: '' }),
              })
            }
            slotProps={{ htmlInput: { 'aria-label': end === 'from' ? 'Created from' : 'Created before' } }}
          />
        ))}
    </Box>
  );
}

function exactTimes({ from, to }: SessionFilters): { from?: string; to?: string } {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
