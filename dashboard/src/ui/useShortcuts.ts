/** Keyboard shortcuts of a page. Ignored while the user types or holds a modifier key. */
import { useEffect, useEffectEvent } from 'react';

/** `onKey` returns whether it handled the key. */
export function useShortcuts(onKey: (key: string) => boolean): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return;
    if (onKey(event.key)) event.preventDefault();
  });
  // Key events without a focused element reach only the document.
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [role="menu"]') !== null;
}
