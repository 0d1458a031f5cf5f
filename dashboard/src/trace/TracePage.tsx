/** A page that is not built yet. */
import { Notice } from '../ui/Notice';

export function TracePage() {
  return <Notice title="Trace">This page is not built yet.</Notice>;
}
