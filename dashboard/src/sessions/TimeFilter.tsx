/** From when to when: one of some ranges that end now, or two exact local times. */
import Box from '@mui/material/Box';
import { type ChangeEvent, useState } from 'react';
import { fieldLook } from '../ui/fieldLook';
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
      <Box
        component="select"
        aria-label="Time range"
        value={isExact ? CUSTOM : (filters.range ?? '')}
        onChange={({ target }: ChangeEvent<HTMLSelectElement>) => choose(target.value)}
        sx={fieldLook}
      >
        <option value="">Any time</option>
        {timeRanges.map((range) => (
          <option key={range} value={range}>
            {rangeLabel(range)}
          </option>
        ))}
        <option value={CUSTOM}>Exact times…</option>
      </Box>
      {isExact &&
        (['from', 'to'] as const).map((end) => (
          <Box
            key={end}
            component="input"
            type="datetime-local"
            aria-label={end === 'from' ? 'Created from' : 'Created before'}
            value={filters[end] ?? ''}
            onChange={({ target }: ChangeEvent<HTMLInputElement>) =>
              onChange({ ...exactTimes(filters), [end]: target.value })
            }
            sx={fieldLook}
          />
        ))}
    </Box>
  );
}

function exactTimes({ from, to }: SessionFilters): { from?: string; to?: string } {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
