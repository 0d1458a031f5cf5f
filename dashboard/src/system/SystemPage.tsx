/** A page that is not built yet. */
import { Notice } from '../ui/Notice';

export function SystemPage() {
  return <Notice title="System">This page is not built yet.</Notice>;
}
