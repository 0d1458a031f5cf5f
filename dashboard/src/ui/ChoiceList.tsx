/** The menu of a multiple-choice filter. Loaded when the first menu is opened. */
import Checkbox from '@mui/material/Checkbox';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import type { ChoiceMenuProps } from './ChoiceMenu';
import { toggle } from './choice';

export interface ChoiceListProps<Value extends string> extends ChoiceMenuProps<Value> {
  id: string;
  anchor: HTMLElement;
  onClose: () => void;
}

export default function ChoiceList<Value extends string>(props: ChoiceListProps<Value>) {
  const { id, name, choices, chosen, onChange, anchor, onClose } = props;
  return (
    <Menu
      id={id}
      anchorEl={anchor}
      open
      onClose={onClose}
      slotProps={{ list: { dense: true, 'aria-label': name }, paper: { sx: { maxHeight: 420 } } }}
    >
      {choices.length === 0 && <MenuItem disabled>No options yet</MenuItem>}
      {choices.map(({ value, label }) => (
        <MenuItem
          key={value}
          role="menuitemcheckbox"
          aria-checked={chosen.includes(value)}
          onClick={() => onChange(toggle(chosen, value))}
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
  );
}
