/** Switches between the system color scheme, light and dark. The choice is stored in the browser. */
import IconButton from '@mui/material/IconButton';
import SvgIcon from '@mui/material/SvgIcon';
import { useColorScheme } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import { nextMode, schemeLabel, type ThemeMode } from './scheme';

const paths: Record<ThemeMode, string> = {
  system: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 2v14a7 7 0 0 1 0-14Z',
  light:
    'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM11 2h2v3h-2zM11 19h2v3h-2zM2 11h3v2H2zM19 11h3v2h-3zM4.2 5.6l1.4-1.4 2.1 2.1-1.4 1.4zM16.3 17.7l1.4-1.4 2.1 2.1-1.4 1.4zM18.4 4.2l1.4 1.4-2.1 2.1-1.4-1.4zM6.3 16.3l1.4 1.4-2.1 2.1-1.4-1.4z',
  dark: 'M20.5 14.6A8.6 8.6 0 0 1 9.4 3.5a8.6 8.6 0 1 0 11.1 11.1Z',
};

export function SchemeButton() {
  const { mode = 'system', systemMode = 'light', setMode } = useColorScheme();
  const label = schemeLabel(mode, systemMode);
  return (
    <Tooltip title={label}>
      <IconButton aria-label={label} onClick={() => setMode(nextMode(mode, systemMode))}>
        <SvgIcon fontSize="small">
          <path d={paths[mode]} />
        </SvgIcon>
      </IconButton>
    </Tooltip>
  );
}
