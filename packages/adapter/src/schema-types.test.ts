/**
 * The adapter has no dependency, so it writes its types by hand. `tsc` compares them here with the schemas that
 * back end and emulator use.
 */
import type {
  SaveClaims,
  SessionRequest,
  SessionResponse,
  InitClaims as WireClaims,
} from '@dowel/schema';
import { describe, expectTypeOf, test } from 'vitest';
import type { OperationError } from './client/index.ts';
import type { InitClaims, InitContext, Session } from './index.ts';

/** Without the members that any name may have. */
type Known<Shape> = {
  [Name in keyof Shape as string extends Name ? never : Name]: Shape[Name];
};

/** The members of one branch, as the adapter splits names at their first dot. JSON has no undefined. */
type Branch<Wire, Name extends string> = {
  [Each in keyof Wire as Each extends `${Name}.${infer Member}` ? Member : never]: Exclude<
    Wire[Each],
    undefined
  >;
};

type Split<Wire> = {
  [Each in keyof Wire as Each extends `${string}.${string}` ? never : Each]: Wire[Each];
} & {
  ctx: Branch<Wire, 'ctx'>;
  stt: Branch<Wire, 'stt'>;
  cfg: Record<string, unknown>;
};

type Fits<Claims> = Claims extends InitClaims ? true : false;

describe('the claims', () => {
  test('of each token that the schemas accept fit the adapter’s type', () => {
    expectTypeOf<Fits<Split<Known<WireClaims>>>>().toEqualTypeOf<true>();
    expectTypeOf<Fits<Split<Known<SaveClaims>>>>().toEqualTypeOf<true>();
  });

  test('of the context have the same names', () => {
    type Names = keyof Branch<Known<WireClaims>, 'ctx'>;
    expectTypeOf<keyof Known<InitContext>>().toEqualTypeOf<Names>();
  });
});

test('a session is what the back end answers', () => {
  expectTypeOf<SessionResponse>().toExtend<Session>();
  expectTypeOf<keyof SessionResponse>().toEqualTypeOf<keyof Session>();
  expectTypeOf<SessionRequest>().toEqualTypeOf<{ initJwt: string; instanceId: string }>();
});

test('an error has what the back end’s error body has', () => {
  type Body = { code: string; message: string; retryAfterMs?: number; mayHaveRun: boolean };
  expectTypeOf<OperationError>().toExtend<Body>();
});
