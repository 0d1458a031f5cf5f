/** How far below the top of the page an element begins. It follows when what stands above it grows. */
import { type RefObject, useLayoutEffect, useState } from 'react';

export function useOffsetTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  // What is drawn depends on what was laid out, which nobody but the browser knows.
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current) setTop(element.current.getBoundingClientRect().top + window.scrollY);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}
