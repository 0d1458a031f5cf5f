/** The filters of the list. They are stored in the URL, so that a filtered list can be shared. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { type Ref, useState } from 'react';
import { ChoiceMenu } from '../ui/ChoiceMenu';
import { sessionStatusLook } from '../ui/status';
import { allStatuses, isFiltered, readFilters, type SessionFilters } from './filters';
import { filterOptionsQuery } from './query';
import { SearchField } from './SearchField';
import { TimeFilter } from './TimeFilter';

export interface FilterBarProps {
  filters: SessionFilters;
  onChange: (filters: SessionFilters) => void;
  searchRef: Ref<HTMLInputElement>;
}

const statusChoices = allStatuses.map((value) => ({ value, label: sessionStatusLook(value).label }));
const choicesOf = (values: readonly string[] = []) => values.map((value) => ({ value, label: value }));

export function FilterBar({ filters, onChange, searchRef }: FilterBarProps) {
  const { data: options } = useQuery(filterOptionsQuery);
  // Changes with every clear, which also collapses the custom time fields.
  const [clearings, setClearings] = useState(0);
  // Removes filters that became empty.
  const change = (over: Record<string, unknown>) => onChange(readFilters({ ...filters, ...over }));
  return (
    <Box
      component="search"
      aria-label="Filters"
      sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}
    >
      <SearchField query={filters.q ?? ''} onSearch={(q) => change({ q })} inputRef={searchRef} />
      <ChoiceMenu
        name="Status"
        choices={statusChoices}
        chosen={filters.status ?? []}
        onChange={(status) => change({ status })}
      />
      <ChoiceMenu
        name="Alert type"
        choices={choicesOf(options?.alert_types)}
        chosen={filters.type ?? []}
        onChange={(type) => change({ type })}
      />
      <ChoiceMenu
        name="Chain"
        choices={choicesOf(options?.chain_ids)}
        chosen={filters.chain ?? []}
        onChange={(chain) => change({ chain })}
      />
      <TimeFilter
        key={clearings}
        filters={filters}
        onChange={(time) => change({ range: undefined, from: undefined, to: undefined, ...time })}
      />
      {isFiltered(filters) && (
        <Button
          variant="text"
          onClick={() => {
            setClearings(clearings + 1);
            onChange({});
          }}
        >
          Clear filters
        </Button>
      )}
    </Box>
  );
}
