/** The search field of the session list. The input is debounced. */
import Box from '@mui/material/Box';
import { type ChangeEvent, type KeyboardEvent, type Ref, useRef, useState } from 'react';
import { fieldStyle } from '../ui/fieldStyle';

const DEBOUNCE_MS = 250;

export interface SearchFieldProps {
  /** The query in the URL. */
  query: string;
  onSearch: (query: string) => void;
  inputRef: Ref<HTMLInputElement>;
}

export function SearchField({ query, onSearch, inputRef }: SearchFieldProps) {
  // While the user types, the field is ahead of the URL.
  const [draft, setDraft] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = (text: string) => {
    clearTimeout(timer.current);
    if (text !== query) onSearch(text);
  };
  return (
    <Box sx={{ position: 'relative', display: 'flex', flex: '1 1 260px', maxWidth: { sm: 420 } }}>
      <Box
        component="input"
        type="search"
        aria-label="Search sessions"
        aria-keyshortcuts="/"
        placeholder="Search alerts, analyses and timelines"
        value={draft ?? query}
        ref={inputRef}
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => {
          setDraft(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => search(target.value), DEBOUNCE_MS);
        }}
        onKeyDown={({ key, currentTarget }: KeyboardEvent<HTMLInputElement>) => {
          if (key === 'Enter' && draft !== null) search(draft);
          if (key === 'Escape') currentTarget.blur();
        }}
        onBlur={() => {
          if (draft !== null) search(draft);
          setDraft(null);
        }}
        sx={{ ...fieldStyle, flex: 1 }}
      />
      {query === '' && draft === null && <Hint />}
    </Box>
  );
}

/** The keyboard shortcut. Hidden on phones. */
function Hint() {
  return (
    <Box
      component="kbd"
      aria-hidden
      sx={{
        position: 'absolute',
        right: 12,
        top: 6,
        color: 'text.secondary',
        pointerEvents: 'none',
        display: { xs: 'none', sm: 'block' },
      }}
    >
      /
    </Box>
  );
}
