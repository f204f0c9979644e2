/** Typed calls of the plug-in's own back end. It uses an adapter, and imports nothing of it. */
export type {
  BuiltInCode,
  Call,
  CallOptions,
  Client,
  OperationTypes,
  SafeResult,
  SessionFetch,
} from './client-types.ts';
export { createClient } from './create-client.ts';
export { OperationError } from './operation-error.ts';
