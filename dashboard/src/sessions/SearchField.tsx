/** Where one types what the sessions are searched for. The search starts when the typing pauses. */
import Box from '@mui/material/Box';
import { type ChangeEvent, type KeyboardEvent, type Ref, useRef, useState } from 'react';
import { fieldLook } from '../ui/fieldLook';

const PAUSE_MS = 250;

export interface SearchFieldProps {
  /** What the address says. */
  words: string;
  onSearch: (words: string) => void;
  inputRef: Ref<HTMLInputElement>;
}

export function SearchField({ words, onSearch, inputRef }: SearchFieldProps) {
  // While somebody types, the field is ahead of the address.
  const [draft, setDraft] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = (text: string) => {
    clearTimeout(timer.current);
    if (text !== words) onSearch(text);
  };
  return (
    <Box sx={{ position: 'relative', display: 'flex', flex: '1 1 260px', maxWidth: { sm: 420 } }}>
      <Box
        component="input"
        type="search"
        aria-label="Search sessions"
        aria-keyshortcuts="/"
        placeholder="Search alerts, analyses and timelines"
        value={draft ?? words}
        ref={inputRef}
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => {
          setDraft(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => search(target.value), PAUSE_MS);
        }}
        onKeyDown={({ key, currentTarget }: KeyboardEvent<HTMLInputElement>) => {
          if (key === 'Enter' && draft !== null) search(draft);
          if (key === 'Escape') currentTarget.blur();
        }}
        onBlur={() => {
          if (draft !== null) search(draft);
          setDraft(null);
        }}
        sx={{ ...fieldLook, flex: 1 }}
      />
      {words === '' && draft === null && <Hint />}
    </Box>
  );
}

/** The key that leads here. Phones have none. */
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
