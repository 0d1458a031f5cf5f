/** Keys that do something anywhere on a page, unless somebody types or holds a modifier. */
import { useEffect, useEffectEvent } from 'react';

/** `true` if the key was used up. */
export function useShortcuts(onKey: (key: string) => boolean): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return;
    if (onKey(event.key)) event.preventDefault();
  });
  // Keys that no element has the focus for arrive at the document alone.
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [role="menu"]') !== null;
}
