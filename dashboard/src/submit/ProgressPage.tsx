/** A page that is not built yet. */
import { Notice } from '../ui/Notice';

export function ProgressPage() {
  return <Notice title="Progress">This page is not built yet.</Notice>;
}
