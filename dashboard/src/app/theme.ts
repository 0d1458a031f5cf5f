/** Colours, type and density. Both schemes live in one style sheet, so switching draws nothing anew. */
import { createTheme } from '@mui/material/styles';

export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-theme' },
  colorSchemes: {
    light: {
      palette: {
        primary: { main: '#1f4f8f' },
        // Words are written in these, so they are dark enough to be read on both backgrounds.
        info: { main: '#0369a1' },
        success: { main: '#2a722e' },
        warning: { main: '#a84b00' },
        error: { main: '#c62828' },
        background: { default: '#f6f7f9', paper: '#ffffff' },
      },
    },
    dark: {
      palette: {
        primary: { main: '#8fb8ee' },
        background: { default: '#0f1216', paper: '#161a20' },
      },
    },
  },
  shape: { borderRadius: 8 },
  typography: {
    fontFamily: '"Inter Variable", system-ui, sans-serif',
    fontSize: 13,
    h5: { fontWeight: 600 },
    h6: { fontWeight: 600 },
    button: { textTransform: 'none' },
  },
  components: {
    MuiCssBaseline: {
      styleOverrides: {
        // Something is going on; it stands still for readers who asked for less motion.
        '@keyframes turn': { to: { transform: 'rotate(1turn)' } },
        '.turns': { animation: 'turn 1.6s linear infinite' },
        '@media (prefers-reduced-motion: reduce)': { '.turns': { animation: 'none' } },
      },
    },
    MuiButton: { defaultProps: { variant: 'outlined', size: 'small' } },
    // Fields are as high as the buttons beside them.
    MuiInputBase: { styleOverrides: { root: { fontSize: 13 } } },
    MuiOutlinedInput: {
      styleOverrides: {
        root: { '&.MuiInputBase-sizeSmall > .MuiInputBase-input': { padding: '5px 10px', height: 20 } },
        // The gap in the line is as wide as the label, which is larger than the field's own text would have it.
        notchedOutline: { '& legend': { fontSize: '0.86em' } },
      },
    },
    // It says why a field is disabled, so it does not fade with it.
    MuiFormHelperText: {
      styleOverrides: {
        root: ({ theme }) => ({ '&.Mui-disabled': { color: theme.vars?.palette.text.secondary } }),
      },
    },
    // Columns of numbers and times line up.
    MuiTableCell: {
      styleOverrides: {
        root: { fontVariantNumeric: 'tabular-nums', verticalAlign: 'top' },
        head: { fontWeight: 600 },
      },
    },
    MuiTableRow: { styleOverrides: { root: { '&:last-child > td': { borderBottom: 0 } } } },
  },
});
