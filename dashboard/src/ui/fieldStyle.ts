/**
 * Styles for native form fields next to MUI buttons. The first page uses native fields to keep its bundle
 * small.
 */

export const fieldStyle = {
  height: 30,
  minWidth: 0,
  px: 1.25,
  font: 'inherit',
  fontSize: 13,
  color: 'text.primary',
  bgcolor: 'transparent',
  border: 1,
  borderColor: 'text.disabled',
  borderRadius: 1,
  '&:hover': { borderColor: 'text.secondary' },
  '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -1 },
  '&::placeholder': { color: 'text.secondary', opacity: 1 },
  // The browser draws the options of a select in its own colors.
  '& option': { color: 'text.primary', bgcolor: 'background.paper' },
};
