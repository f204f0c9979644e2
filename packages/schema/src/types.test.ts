/**
 * Checked by the compiler (`pnpm typecheck`), not at run time: a changed type
 * affects every user of this package.
 */
import { describe, expectTypeOf, test } from 'vitest';
import type {
  AccessTokenEvent,
  AccessTokenEventPayload,
  DriftEntry,
  InitClaims,
  InstallEvent,
  InstanceAddEvent,
  LifecycleEvent,
  LifecycleEventName,
  Manifest,
  ManifestProblem,
  ManifestWarning,
  NotificationRequest,
  ParsedManifest,
  SaveClaims,
  Secret,
  SessionRequest,
  TokenResponse,
  TokenResponsePayload,
} from './index.ts';

describe('the inferred types', () => {
  test('of events tell them apart by sub', () => {
    expectTypeOf<LifecycleEvent['sub']>().toEqualTypeOf<LifecycleEventName>();
    expectTypeOf<Extract<LifecycleEvent, { sub: 'install' }>>().toEqualTypeOf<InstallEvent>();
    expectTypeOf<InstallEvent['tenantId']>().toEqualTypeOf<string>();
    expectTypeOf<InstallEvent['iat']>().toEqualTypeOf<number>();
    expectTypeOf<InstallEvent['jti']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<InstanceAddEvent['instanceId']>().toEqualTypeOf<string>();
    expectTypeOf<InstallEvent['anything']>().toEqualTypeOf<unknown>();
  });

  test('of secrets are wrapped behind the parser and bare on the wire', () => {
    expectTypeOf<AccessTokenEvent['client']['client_id']>().toEqualTypeOf<string>();
    expectTypeOf<AccessTokenEvent['client']['client_secret']>().toEqualTypeOf<Secret>();
    expectTypeOf<AccessTokenEvent['client']['authorization_code']>().toEqualTypeOf<Secret>();
    expectTypeOf<NonNullable<AccessTokenEvent['client']['trigger_event']>['body']>().toEqualTypeOf<
      Secret | undefined
    >();
    expectTypeOf<AccessTokenEventPayload['client']['client_secret']>().toEqualTypeOf<string>();
    expectTypeOf<TokenResponse['access_token']>().toEqualTypeOf<Secret>();
    expectTypeOf<TokenResponse['refresh_token']>().toEqualTypeOf<Secret | undefined>();
    expectTypeOf<TokenResponsePayload['refresh_token']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<TokenResponse['expires_in']>().toEqualTypeOf<number | undefined>();
  });

  test('of page claims name the tenant only where it is always present', () => {
    expectTypeOf<InitClaims['sub']>().toEqualTypeOf<'init'>();
    expectTypeOf<InitClaims['ctx.tenantId']>().toEqualTypeOf<string>();
    expectTypeOf<SaveClaims['sub']>().toEqualTypeOf<'save'>();
    expectTypeOf<SaveClaims['ctx.tenantId']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<SaveClaims['cfg.city']>().toEqualTypeOf<unknown>();
  });

  test('of the manifest follow the specification', () => {
    type Client = NonNullable<Manifest['apiAccess']>['client'];
    type Field = NonNullable<Manifest['config']>[number];
    expectTypeOf<Client['mode']>().toEqualTypeOf<'authorization_code'[]>();
    expectTypeOf<Client['scope']>().toEqualTypeOf<'plugin:notify'[]>();
    expectTypeOf<NonNullable<Manifest['lifecycle']>['events'][number]>().toEqualTypeOf<
      Exclude<LifecycleEventName, 'access_token'>
    >();
    expectTypeOf<Manifest['name']>().toEqualTypeOf<Record<string, string>>();
    expectTypeOf<Manifest['entryPoints'][number]['configUrl']>().toEqualTypeOf<
      string | undefined
    >();
    expectTypeOf<Field['type']>().toEqualTypeOf<string>();
    expectTypeOf<Field['default']>().toEqualTypeOf<unknown>();
  });

  test('of a parsed manifest give the manifest only when it is one', () => {
    expectTypeOf<Extract<ParsedManifest, { ok: true }>['manifest']>().toEqualTypeOf<Manifest>();
    expectTypeOf<Extract<ParsedManifest, { ok: false }>>().not.toHaveProperty('manifest');
    expectTypeOf<ParsedManifest['warnings']>().toEqualTypeOf<ManifestWarning[]>();
    expectTypeOf<ManifestProblem>().toExtend<{
      pointer: string;
      line: number;
      column: number;
      message: string;
      fix: string;
    }>();
    expectTypeOf<'URL_INSECURE'>().not.toExtend<ManifestProblem['code']>();
  });

  test('of a drift report cannot contain a value', () => {
    expectTypeOf<keyof DriftEntry>().toEqualTypeOf<'pointer' | 'name' | 'type'>();
  });

  test('of the APIs cannot contain a secret', () => {
    expectTypeOf<keyof SessionRequest>().toEqualTypeOf<'initJwt' | 'instanceId'>();
    expectTypeOf<NotificationRequest['category']>().toEqualTypeOf<string | undefined>();
  });
});
