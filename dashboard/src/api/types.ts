/**
 * What the server answers, under the names that the dashboard uses. The types themselves are generated from the
 * server's OpenAPI document by `make types`. Times are microseconds since 1970.
 */

import type { components } from './schema';

type Schemas = components['schemas'];

export type SessionStatus = Schemas['SessionStatus'];

/** How a stage or an agent stands. */
export type WorkStatus = Schemas['WorkStatus'];

/** One investigation as a list shows it: the totals are kept on the row, nothing here costs a second query. */
export type SessionSummary = Schemas['ListedSessionResponse'];

/** The answer to `GET /api/v1/sessions`. */
export type SessionPage = Schemas['SessionPageResponse'];

/** A session without its large texts. */
export type Session = Schemas['SessionResponse'];

/** The answer to `GET /api/v1/sessions/active`. */
export type ActiveSessions = Schemas['ActiveSessionsResponse'];

/** The answer to `GET /api/v1/sessions/filter-options`. */
export type FilterOptions = Schemas['FilterOptionsResponse'];

/** The answer to `GET /processing-status/{alert_id}`. */
export type ProcessingStatus = Schemas['ProcessingStatusResponse'];

/** How far an agent of a stage is. */
export type StageProgress = Schemas['StageProgressResponse'];

/** The answer to `GET /api/v1/sessions/{id}`. */
export type SessionDetail = Schemas['SessionDetailResponse'];
export type Stage = Schemas['StageResponse'];
export type Execution = Schemas['ExecutionResponse'];

/** The answer to `GET /api/v1/sessions/{id}/timeline`. */
export type TimelinePage = Schemas['TimelinePageResponse'];
export type TimelineEntry = Schemas['TimelineEventResponse'];
export type TimelineEventType = Schemas['TimelineEventType'];

/** The answer to `GET /api/v1/sessions/{id}/chat/messages`. */
export type Chat = Schemas['ChatResponse'];
export type ChatMessage = Schemas['ChatMessageResponse'];

/** The answer to `GET /api/v1/sessions/{id}/trace`. */
export type Trace = Schemas['TraceResponse'];
export type TracedCall = Schemas['TracedCallResponse'];
export type LlmInteraction = Schemas['LlmInteractionResponse'];
export type McpInteraction = Schemas['McpInteractionResponse'];
export type Message = Schemas['Message'];

/** The answer to `GET /api/v1/alert-types`. */
export type AlertTypes = Schemas['AlertTypesResponse'];

/** What `POST /api/v1/alerts` takes and answers. */
export type SubmitAlertRequest = Schemas['SubmitAlertRequest'];
export type SubmitAlertResponse = Schemas['SubmitAlertResponse'];
export type McpSelection = Schemas['McpSelection'];

/** The answers of the system's routes. */
export type McpServers = Schemas['McpServersResponse'];
export type McpServer = Schemas['McpServerResponse'];
export type McpServerState = Schemas['McpServerState'];
export type ReadyResponse = Schemas['ReadyResponse'];
export type ConfigResponse = Schemas['ConfigResponse'];
export type WarningsResponse = Schemas['WarningsResponse'];
export type SystemWarning = Schemas['SystemWarning'];

/** The answer to `GET /api/v1/me`. */
export type Me = Schemas['MeResponse'];

/** The answer to `GET /health`. */
export type HealthResponse = Schemas['HealthResponse'];

/** The answer to anything that was not carried out. */
export type ErrorResponse = Schemas['ErrorResponse'];
