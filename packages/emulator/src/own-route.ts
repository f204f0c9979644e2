/** A route that a program adds to the control API. Its types need no Koa, because `createPlatform` publishes them. */
import type { z } from 'zod';
import type { Tenant, User } from './control-api.ts';

/** Who has signed in. */
export interface Visitor {
  user: User;
  tenant: Tenant;
  tenantId: string;
  userId: string;
  language: string;
}

export interface OwnRoute {
  method: 'GET' | 'POST';
  /** Below `/control`, with parameters such as `:id`. */
  path: string;
  /** Without a full stop. */
  summary: string;
  answer: z.ZodType;
  /** Default: 200. A handler that returns undefined is answered 204. */
  status?: number;
  /** @param params those of the path. */
  handle(params: Readonly<Record<string, string>>, visitor: Visitor): unknown;
}
