/** Navigation in the timeline: by link, by search, and by tab. */
import { useCallback, useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { type LinkTarget, positionOf, type TimelinePosition } from './anchor';
import type { ChosenRow } from './RowView';
import type { OpenTabs } from './rows';
import { matchesIn, nextMatch, type TimelineMatch } from './search';
import type { TimelineSection } from './sections';

export interface TimelineSearch {
  query: string;
  matches: readonly TimelineMatch[];
  /** Index of the selected match. */
  current: number | null;
  setQuery: (query: string) => void;
  step: (direction: 1 | -1) => void;
}

export interface Navigation {
  openTabs: OpenTabs;
  onOpenTab: (section: string, executionId: string) => void;
  search: TimelineSearch;
  chosen: ChosenRow | null;
  /** The row to scroll to; a new object for every request to go there. */
  target: TimelinePosition | null;
}

export function useNavigation(
  sections: readonly TimelineSection[],
  link: LinkTarget | null,
  isLoaded: boolean,
): Navigation {
  const [openTabs, setOpenTabs] = useState<OpenTabs>(new Map());
  const [target, setTarget] = useState<TimelinePosition | null>(null);
  const openTab = useCallback(
    (section: string, executionId: string) => setOpenTabs((open) => new Map(open).set(section, executionId)),
    [],
  );
  const goTo = useCallback(
    (position: TimelinePosition) => {
      if (position.executionId !== null) openTab(position.section, position.executionId);
      setTarget({ ...position });
    },
    [openTab],
  );
  useLink(link, sections, isLoaded, goTo);
  const search = useSearch(sections, goTo);
  const chosen = useMemo(
    () => (target ? { key: target.row, query: search.current === null ? '' : search.query } : null),
    [target, search.current, search.query],
  );
  return { openTabs, onOpenTab: openTab, search, chosen, target };
}

function useSearch(
  sections: readonly TimelineSection[],
  goTo: (position: TimelinePosition) => void,
): TimelineSearch {
  const [query, setQuery] = useState('');
  const [current, setCurrent] = useState<number | null>(null);
  // Typing has priority over searching.
  const needle = useDeferredValue(query);
  const matches = useMemo(() => matchesIn(sections, needle), [sections, needle]);
  return {
    query,
    matches,
    current: current !== null && current < matches.length ? current : null,
    setQuery: (next) => {
      setQuery(next);
      setCurrent(null);
    },
    step: (direction) => {
      const next = nextMatch(current, matches.length, direction);
      const match = next === null ? undefined : matches[next];
      setCurrent(next);
      if (match) goTo(match);
    },
  };
}

/**
 * Goes to the target of the link once it exists. The link may change while the page is open. The stage of an
 * entry that does not exist is shown once the timeline is loaded.
 */
function useLink(
  link: LinkTarget | null,
  sections: readonly TimelineSection[],
  isLoaded: boolean,
  goTo: (position: TimelinePosition) => void,
): void {
  const [reached, setReached] = useState<string | null>(null);
  const exact = link && positionOf(link.anchor, sections);
  const anchor = exact || !isLoaded ? link?.anchor : link?.otherwise;
  const name = anchor ? `${anchor.kind}-${anchor.id}` : null;
  const position = anchor && reached !== name ? positionOf(anchor, sections) : null;
  const arrive = useEffectEvent((found: TimelinePosition) => {
    setReached(name);
    goTo(found);
  });
  const exists = position !== null;
  useEffect(() => {
    if (exists && position) arrive(position);
  }, [exists, position]);
}
