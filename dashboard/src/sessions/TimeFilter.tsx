/** The time filter: a range that ends now, or two exact local times. */
import Box from '@mui/material/Box';
import { type ChangeEvent, useState } from 'react';
import { fieldStyle } from '../ui/fieldStyle';
import { isRange, rangeLabel, type SessionFilters, timeRanges } from './filters';

const CUSTOM = 'custom';

export interface TimeFilterProps {
  filters: SessionFilters;
  onChange: (change: Partial<Record<'range' | 'from' | 'to', string>>) => void;
}

export function TimeFilter({ filters, onChange }: TimeFilterProps) {
  const [isCustomSelected, setIsCustomSelected] = useState(false);
  const isExact = isCustomSelected || filters.from !== undefined || filters.to !== undefined;
  const choose = (chosen: string) => {
    setIsCustomSelected(chosen === CUSTOM);
    onChange(isRange(chosen) ? { range: chosen } : {});
  };
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      <Box
        component="select"
        aria-label="Time range"
        value={isExact ? CUSTOM : (filters.range ?? '')}
        onChange={({ target }: ChangeEvent<HTMLSelectElement>) => choose(target.value)}
        sx={fieldStyle}
      >
        <option value="">Any time</option>
        {timeRanges.map((range) => (
          <option key={range} value={range}>
            {rangeLabel(range)}
          </option>
        ))}
        <option value={CUSTOM}>Custom range…</option>
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
            sx={fieldStyle}
          />
        ))}
    </Box>
  );
}

function exactTimes({ from, to }: SessionFilters): { from?: string; to?: string } {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
