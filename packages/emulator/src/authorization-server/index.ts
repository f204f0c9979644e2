/**
 * The authorization server of the emulated platform. The emulator, tests and benchmarks use it; the
 * independent one that tests compare it with is oidc-provider.
 */

export { type AnswerFault, answersWith, meetFault, refuses } from './answer-fault.ts';
export {
  answerTokenRequest,
  readPresentation,
  type TokenAnswer,
  type TokenRequest,
} from './answer-token-request.ts';
export type { Client } from './client-schema.ts';
export {
  findClient,
  findClientOf,
  forgetClient,
  isTriggerToken,
  registerClient,
} from './clients.ts';
export {
  type Access,
  authorizationCodeGrant,
  countTokens,
  introspect,
  issueCode,
  refreshTokenGrant,
  revokeAccessTokens,
  revokeGrants,
  revokeRefreshTokens,
} from './grants.ts';
export { readTokenRequest, sendTokenAnswer } from './node-http.ts';
export { lenientRules, type Rules, rulesSchema, strictRules } from './rules.ts';
export {
  type AuthorizationServer,
  createAuthorizationServer,
  type Presentation,
  type SecretKind,
  type Terms,
} from './server.ts';
