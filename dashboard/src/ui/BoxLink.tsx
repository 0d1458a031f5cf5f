/** A router link that accepts `sx` styles. */
import Box, { type BoxProps } from '@mui/material/Box';
import { createLink } from '@tanstack/react-router';
import type { Ref } from 'react';

interface AnchorProps extends Omit<BoxProps<'a'>, 'ref' | 'component'> {
  ref?: Ref<HTMLAnchorElement>;
}

function Anchor(props: AnchorProps) {
  return <Box component="a" {...props} />;
}

export const BoxLink = createLink(Anchor);
