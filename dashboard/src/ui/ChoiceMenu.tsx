/** A multiple-choice filter: a button with the current choice, and a menu. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { lazy, Suspense, useId, useState } from 'react';
import { chosenLabel } from './choice';
import { Icon } from './Icon';

const ChoiceList = lazy(() => import('./ChoiceList'));

export interface Choice<Value extends string> {
  value: Value;
  label: string;
}

export interface ChoiceMenuProps<Value extends string> {
  name: string;
  choices: readonly Choice<Value>[];
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
}

export function ChoiceMenu<Value extends string>({
  name,
  choices,
  chosen,
  onChange,
}: ChoiceMenuProps<Value>) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const menu = useId();
  return (
    <>
      <Button
        color={chosen.length > 0 ? 'primary' : 'inherit'}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor ? menu : undefined}
        endIcon={<Icon name="down" size={12} />}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{ maxWidth: 260, borderColor: chosen.length > 0 ? undefined : 'divider', fontWeight: 500 }}
      >
        <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
          {chosenLabel(name, choices, chosen)}
        </Box>
      </Button>
      {anchor && (
        <Suspense>
          <ChoiceList
            id={menu}
            anchor={anchor}
            name={name}
            choices={choices}
            chosen={chosen}
            onChange={(values) =>
              onChange(choices.map(({ value }) => value).filter((value) => values.includes(value)))
            }
            onClose={() => setAnchor(null)}
          />
        </Suspense>
      )}
    </>
  );
}
