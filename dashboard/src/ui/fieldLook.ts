/** How the browser's own fields look beside our buttons. Pages that are opened first do without larger ones. */

export const fieldLook = {
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
  // The list of a select is drawn by the browser, in its own colours.
  '& option': { color: 'text.primary', bgcolor: 'background.paper' },
};
