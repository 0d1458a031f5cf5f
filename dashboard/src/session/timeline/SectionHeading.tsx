/** The heading of a timeline section: stage name, status, and a tab for each parallel agent. */
import Box from '@mui/material/Box';
import MuiTab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { Status } from '../../ui/Status';
import { stageAnchor } from './anchor';
import type { SectionRow } from './row';

export interface SectionHeadingProps {
  row: SectionRow;
  isChosen: boolean;
  onOpenTab: (section: string, executionId: string) => void;
}

export function SectionHeading({ row, isChosen, onOpenTab }: SectionHeadingProps) {
  const { stage } = row;
  return (
    <Box aria-current={isChosen ? 'true' : undefined} sx={frame}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.5, rowGap: 0.5 }}>
        <Box component="h3" sx={{ m: 0, fontSize: 15, fontWeight: 650, overflowWrap: 'anywhere' }}>
          {stage ? (
            <Box component="a" href={`#${stageAnchor(stage.stageId)}`} title="Link to this stage" sx={link}>
              {stage.number}. {row.title}
            </Box>
          ) : (
            row.title
          )}
        </Box>
        {stage && (
          <Box component="span" sx={{ fontSize: 12 }}>
            <Status look={stage.look} size={14} />
          </Box>
        )}
        {stage?.duration && (
          <Box component="span" sx={{ color: 'text.secondary', fontSize: 12 }}>
            {stage.duration}
          </Box>
        )}
      </Box>
      {row.open !== null && (
        <AgentTabs row={row} open={row.open} onOpen={(id) => onOpenTab(sectionKey(row), id)} />
      )}
    </Box>
  );
}

const sectionKey = (row: SectionRow): string => row.key.replace(/^section-/, '');

interface AgentTabsProps {
  row: SectionRow;
  open: string;
  onOpen: (executionId: string) => void;
}

function AgentTabs({ row, open, onOpen }: AgentTabsProps) {
  return (
    <Tabs
      value={open}
      onChange={(_event, executionId: string) => onOpen(executionId)}
      variant="scrollable"
      scrollButtons="auto"
      aria-label={`Agents of ${row.title}`}
      sx={{ minHeight: 34, mt: 0.5 }}
    >
      {row.tabs.map(({ executionId, name, look }) => (
        <MuiTab
          key={executionId}
          value={executionId}
          label={
            <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
              {name}
              <Status look={look} size={13} />
            </Box>
          }
          sx={{ minHeight: 34, py: 0.5, px: 1.25, textTransform: 'none', fontSize: 13 }}
        />
      ))}
    </Tabs>
  );
}

const frame = {
  px: 1,
  pt: 2,
  pb: 0.75,
  mb: 0.5,
  borderBottom: 1,
  borderColor: 'divider',
  '&[aria-current]': { bgcolor: 'action.selected' },
};

const link = { color: 'inherit', textDecoration: 'none', '&:hover': { textDecoration: 'underline' } };
