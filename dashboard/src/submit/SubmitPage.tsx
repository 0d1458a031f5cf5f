/** A page that is not built yet. */
import { Notice } from '../ui/Notice';

export function SubmitPage() {
  return <Notice title="Submit">This page is not built yet.</Notice>;
}
