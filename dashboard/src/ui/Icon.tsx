/** Line icons on a 16-pixel grid. They always accompany a label, so they are hidden from screen readers. */

const paths = {
  waiting: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3.2l2 1.3',
  running: 'M8 2a6 6 0 1 1-5.2 3',
  stopping: 'M8 2a6 6 0 1 1-5.2 3M6.2 6.2h3.6v3.6H6.2z',
  done: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM5.2 8.2l2 2 3.6-4.2',
  partly: 'M8 2.2 14.2 13H1.8ZM8 6.2v3.4M8 11.2v.3',
  failed: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  late: 'M8 3.5a5 5 0 1 0 0 10 5 5 0 0 0 0-10ZM8 6v2.7M6.5 1.5h3M8 1.5v2',
  stopped: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM6 6h4v4H6z',
  skipped: 'M3 4l4 4-4 4M8 4l4 4-4 4M13.2 4v8',
  copy: 'M5.5 5.5V3.2h7.3v7.3h-2.3M3.2 5.5h7.3v7.3H3.2z',
  external: 'M9.5 2.5h4v4M13.5 2.5 8 8M6.5 3.5h-4v10h10v-4',
  thought: 'M8 2a4.4 4.4 0 0 0-2.2 8.2v1.6h4.4v-1.6A4.4 4.4 0 0 0 8 2ZM6.4 14h3.2',
  speech: 'M2.5 3h11v7.5H7L4.5 13v-2.5h-2z',
  tool: 'M13.3 4.2 11 6.5 9.5 5l2.3-2.3a3.6 3.6 0 0 0-4.6 4.6L2.6 12a1 1 0 0 0 1.4 1.4l4.7-4.6a3.6 3.6 0 0 0 4.6-4.6Z',
  summary: 'M3 3.5h10M3 6.5h10M3 9.5h7M3 12.5h5',
  flag: 'M4 14V2.5M4 3h8l-2 2.5 2 2.5H4',
  branch: 'M4.5 14V2.5M4.5 9c4 0 7-1 7-5.5M9.5 5.5l2-2 2 2',
  bell: 'M3.5 11.5h9c-1-1-1.3-2-1.3-4.2C11.2 5 9.8 3.5 8 3.5S4.8 5 4.8 7.3c0 2.2-.3 3.2-1.3 4.2ZM7 13.5h2',
  question:
    'M6 6a2 2 0 1 1 2.8 1.8c-.6.3-.8.7-.8 1.4M8 11.5v.3M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8Z',
  down: 'M3.5 6 8 10.5 12.5 6',
  up: 'M3.5 10 8 5.5 12.5 10',
  right: 'M6 3.5 10.5 8 6 12.5',
  close: 'M4 4l8 8M12 4l-8 8',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.3 10.3l3.2 3.2',
  swap: 'M2.5 5.5h10M9.5 2.5l3 3-3 3M13.5 10.5h-10M6.5 7.5l-3 3 3 3',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2A2.6 2.6 0 0 0 9 3.3l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.9-.9',
} as const;

export type IconName = keyof typeof paths;

export interface IconProps {
  name: IconName;
  size?: number;
  /** Marks work in progress. It does not move for users who prefer reduced motion. */
  turns?: boolean;
}

/** A plain element, because lists render many icons and `sx` styles would cost more than the icon. */
export function Icon({ name, size = 16, turns = false }: IconProps) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
      className={turns ? 'turns' : undefined}
      style={{ flex: 'none' }}
    >
      <path d={paths[name]} />
    </svg>
  );
}
