/** A status as icon and label, in the color of its tone. */
import { Icon } from './Icon';
import type { StatusLook } from './status';
import { toneVariables } from './tone';

export interface StatusProps {
  look: StatusLook;
  size?: number;
}

export function Status({ look, size = 16 }: StatusProps) {
  return (
    <span style={layout}>
      <span style={{ display: 'inline-flex', color: toneVariables[look.tone] }}>
        <Icon name={look.mark} size={size} turns={look.tone === 'active'} />
      </span>
      {look.label}
    </span>
  );
}

const layout = {
  display: 'inline-flex',
  verticalAlign: 'middle',
  alignItems: 'center',
  gap: 6,
  whiteSpace: 'nowrap',
  fontWeight: 500,
} as const;
