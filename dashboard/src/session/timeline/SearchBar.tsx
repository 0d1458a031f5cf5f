/**
 * Search in the session: `/` focuses it, Enter goes to the next match, Shift+Enter to the previous one,
 * Escape clears it.
 */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import InputBase from '@mui/material/InputBase';
import { type KeyboardEvent, useRef } from 'react';
import { Icon } from '../../ui/Icon';
import { useShortcuts } from '../../ui/useShortcuts';
import { countText } from './search';
import type { TimelineSearch } from './useNavigation';

export function SearchBar({ search }: { search: TimelineSearch }) {
  const { query, matches, current, setQuery, step } = search;
  const input = useRef<HTMLInputElement>(null);
  const isIdle = matches.length === 0;
  useShortcuts((key) => {
    if (key === '/') input.current?.focus();
    return key === '/';
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') setQuery('');
  };
  return (
    <Box role="search" aria-label="Search this session" sx={bar}>
      <InputBase
        inputRef={input}
        type="search"
        placeholder="Find in this session"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={onKeyDown}
        inputProps={{ 'aria-label': 'Find in this session' }}
        sx={{ flex: 1, minWidth: 60, fontSize: 13 }}
      />
      <Box
        role="status"
        aria-label="Matches"
        sx={{ color: 'text.secondary', fontSize: 12, whiteSpace: 'nowrap' }}
      >
        {countText(query, current, matches.length)}
      </Box>
      <IconButton size="small" aria-label="Previous match" disabled={isIdle} onClick={() => step(-1)}>
        <Icon name="up" size={14} />
      </IconButton>
      <IconButton size="small" aria-label="Next match" disabled={isIdle} onClick={() => step(1)}>
        <Icon name="down" size={14} />
      </IconButton>
    </Box>
  );
}

const bar = {
  display: 'flex',
  alignItems: 'center',
  gap: 0.5,
  flex: '0 1 340px',
  minWidth: 0,
  pl: 1.25,
  border: 1,
  borderColor: 'divider',
  borderRadius: 1,
  bgcolor: 'background.paper',
  '&:focus-within': { borderColor: 'primary.main' },
};
