/** A button that says what is chosen, and a menu to choose any number of things from. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useId, useState } from 'react';
import { chosenLabel, toggled } from './choice';
import { Icon } from './Icon';

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
      <Menu
        id={menu}
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => setAnchor(null)}
        slotProps={{ list: { dense: true, 'aria-label': name }, paper: { sx: { maxHeight: 420 } } }}
      >
        {choices.length === 0 && <MenuItem disabled>Nothing to choose from yet</MenuItem>}
        {choices.map(({ value, label }) => (
          <MenuItem
            key={value}
            role="menuitemcheckbox"
            aria-checked={chosen.includes(value)}
            onClick={() => onChange(toggled(chosen, value))}
            sx={{ gap: 1 }}
          >
            <Checkbox
              size="small"
              checked={chosen.includes(value)}
              tabIndex={-1}
              disableRipple
              sx={{ p: 0 }}
              aria-hidden
            />
            {label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
