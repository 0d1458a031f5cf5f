/**
 * What the server answers, under the names that the dashboard uses. The types themselves are generated from the
 * server's OpenAPI document by `make types`. Times are microseconds since 1970.
 */

import type { components } from './schema';

type Schemas = components['schemas'];

export type SessionStatus = Schemas['SessionStatus'];

/** One investigation as a list shows it: the totals are kept on the row, nothing here costs a second query. */
export type SessionSummary = Schemas['ListedSessionResponse'];

/** The answer to `GET /api/v1/sessions`. */
export type SessionPage = Schemas['SessionPageResponse'];

/** The answer to `GET /health`. */
export type HealthResponse = Schemas['HealthResponse'];
