/**
 * Types of the HTTP API under the names that the dashboard uses. They are generated from the server's OpenAPI
 * document by `make types`. Times are microseconds since 1970.
 */

import type { components } from './schema';

type Schemas = components['schemas'];

export type SessionStatus = Schemas['SessionStatus'];

/** Status of a stage or an execution. */
export type WorkStatus = Schemas['WorkStatus'];

/** A session in a list. Its totals are stored on the row, so a list needs no second query. */
export type SessionSummary = Schemas['ListedSessionResponse'];

/** Response of `GET /api/v1/sessions`. */
export type SessionPage = Schemas['SessionPageResponse'];

/** A session without its large texts. */
export type Session = Schemas['SessionResponse'];

/** Response of `GET /api/v1/sessions/active`. */
export type ActiveSessions = Schemas['ActiveSessionsResponse'];

/** Response of `GET /api/v1/sessions/filter-options`. */
export type FilterOptions = Schemas['FilterOptionsResponse'];

/** Response of `GET /processing-status/{alert_id}`. */
export type ProcessingStatus = Schemas['ProcessingStatusResponse'];

/** Progress of one agent of a stage. */
export type StageProgress = Schemas['StageProgress'];

/** Response of `GET /api/v1/sessions/{id}`. */
export type SessionDetail = Schemas['SessionDetailResponse'];
export type Stage = Schemas['StageResponse'];
export type Execution = Schemas['ExecutionResponse'];

/** Response of `GET /api/v1/sessions/{id}/timeline`. */
export type TimelinePage = Schemas['TimelinePageResponse'];
export type TimelineEntry = Schemas['TimelineEventResponse'];
export type TimelineEventType = Schemas['TimelineEventType'];

/** Response of `GET /api/v1/sessions/{id}/chat/messages`. */
export type Chat = Schemas['ChatResponse'];
export type ChatMessage = Schemas['ChatMessageResponse'];

/** Response of `GET /api/v1/sessions/{id}/trace`. */
export type Trace = Schemas['TraceResponse'];
export type TracedCall = Schemas['TracedCallResponse'];
export type LlmInteraction = Schemas['LlmInteractionResponse'];
export type McpInteraction = Schemas['McpInteractionResponse'];
export type Message = Schemas['Message'];

/** Response of `GET /api/v1/alert-types`. */
export type AlertTypes = Schemas['AlertTypesResponse'];

/** Response of `GET /api/v1/runbooks`. */
export type Runbooks = Schemas['RunbooksResponse'];
export type Runbook = Schemas['RunbookResponse'];

/** Request and response of `POST /api/v1/alerts`. */
export type SubmitAlertRequest = Schemas['SubmitAlertRequest'];
export type SubmitAlertResponse = Schemas['SubmitAlertResponse'];
export type McpSelection = Schemas['McpSelection'];

/** Responses of `/ready` and `/api/v1/system/…`. */
export type McpServers = Schemas['McpServersResponse'];
export type McpServer = Schemas['McpServerResponse'];
export type McpServerState = Schemas['McpServerState'];
export type ReadyResponse = Schemas['ReadyResponse'];
export type ConfigResponse = Schemas['ConfigResponse'];
export type WarningsResponse = Schemas['WarningsResponse'];
export type SystemWarning = Schemas['SystemWarning'];

/** Response of `GET /api/v1/me`. */
export type Me = Schemas['MeResponse'];

/** Response of `GET /health`. */
export type HealthResponse = Schemas['HealthResponse'];

/** Body of every error response. */
export type ErrorResponse = Schemas['ErrorResponse'];
