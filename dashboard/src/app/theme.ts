/**
 * Colors, typography and density. Both color schemes are in one style sheet, so switching does not re-render.
 */
import { createTheme } from '@mui/material/styles';

export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-theme' },
  colorSchemes: {
    light: {
      palette: {
        primary: { main: '#1f4f8f' },
        // These are used as text colors, so they have enough contrast on both backgrounds.
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
        // Marks work in progress. It does not move for users who prefer reduced motion.
        '@keyframes turn': { to: { transform: 'rotate(1turn)' } },
        '.turns': { animation: 'turn 1.6s linear infinite' },
        '@media (prefers-reduced-motion: reduce)': { '.turns': { animation: 'none' } },
      },
    },
    MuiButton: { defaultProps: { variant: 'outlined', size: 'small' } },
    // Fields are as high as the buttons next to them.
    MuiInputBase: { styleOverrides: { root: { fontSize: 13 } } },
    MuiOutlinedInput: {
      styleOverrides: {
        root: { '&.MuiInputBase-sizeSmall > .MuiInputBase-input': { padding: '5px 10px', height: 20 } },
        // Makes the gap in the outline as wide as the label, which is larger than MUI assumes for this font
        // size.
        notchedOutline: { '& legend': { fontSize: '0.86em' } },
      },
    },
    // Helper texts explain why a field is disabled, so they keep their contrast.
    MuiFormHelperText: {
      styleOverrides: {
        root: ({ theme }) => ({ '&.Mui-disabled': { color: theme.vars?.palette.text.secondary } }),
      },
    },
    // Aligns columns of numbers and times.
    MuiTableCell: {
      styleOverrides: {
        root: { fontVariantNumeric: 'tabular-nums', verticalAlign: 'top' },
        head: { fontWeight: 600 },
      },
    },
    MuiTableRow: { styleOverrides: { root: { '&:last-child > td': { borderBottom: 0 } } } },
  },
});
