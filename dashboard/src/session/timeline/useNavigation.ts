/** Getting to a place of the timeline: by its address, by a search, or by hand from tab to tab. */
import { useLocation } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { readAnchor, type Spot, spotOf } from './anchor';
import type { ChosenRow } from './RowView';
import type { OpenTabs } from './rows';
import { type Match, matchesIn, stepped } from './search';
import type { Section } from './sections';

export interface TimelineSearch {
  query: string;
  matches: readonly Match[];
  /** Which of the matches the reader is at. */
  place: number | null;
  setQuery: (query: string) => void;
  step: (direction: 1 | -1) => void;
}

export interface Navigation {
  openTabs: OpenTabs;
  onOpenTab: (section: string, executionId: string) => void;
  search: TimelineSearch;
  chosen: ChosenRow | null;
  /** The line to go to; it is another object for each time that the reader wants to go there. */
  target: Spot | null;
}

export function useNavigation(sections: readonly Section[]): Navigation {
  const [openTabs, setOpenTabs] = useState<OpenTabs>(new Map());
  const [target, setTarget] = useState<Spot | null>(null);
  const openTab = useCallback(
    (section: string, executionId: string) => setOpenTabs((open) => new Map(open).set(section, executionId)),
    [],
  );
  const goTo = useCallback(
    (spot: Spot) => {
      if (spot.executionId !== null) openTab(spot.section, spot.executionId);
      setTarget({ ...spot });
    },
    [openTab],
  );
  useAnchor(sections, goTo);
  const search = useSearch(sections, goTo);
  const chosen = useMemo(
    () => (target ? { key: target.row, query: search.place === null ? '' : search.query } : null),
    [target, search.place, search.query],
  );
  return { openTabs, onOpenTab: openTab, search, chosen, target };
}

function useSearch(sections: readonly Section[], goTo: (spot: Spot) => void): TimelineSearch {
  const [query, setQuery] = useState('');
  const [place, setPlace] = useState<number | null>(null);
  // Typing goes before finding.
  const words = useDeferredValue(query);
  const matches = useMemo(() => matchesIn(sections, words), [sections, words]);
  return {
    query,
    matches,
    place: place !== null && place < matches.length ? place : null,
    setQuery: (next) => {
      setQuery(next);
      setPlace(null);
    },
    step: (direction) => {
      const next = stepped(place, matches.length, direction);
      const match = next === null ? undefined : matches[next];
      setPlace(next);
      if (match) goTo(match);
    },
  };
}

/** Goes where the address says, once that is there. The address may change while the page is open. */
function useAnchor(sections: readonly Section[], goTo: (spot: Spot) => void): void {
  const hash = useLocation({ select: (location) => location.hash });
  const [reached, setReached] = useState<string | null>(null);
  const anchor = readAnchor(hash);
  const spot = anchor && reached !== hash ? spotOf(anchor, sections) : null;
  const arrive = useEffectEvent((found: Spot) => {
    setReached(hash);
    goTo(found);
  });
  const isThere = spot !== null;
  useEffect(() => {
    if (isThere && spot) arrive(spot);
  }, [isThere, spot]);
}
