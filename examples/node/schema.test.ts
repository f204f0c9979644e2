import { readFile } from 'node:fs/promises';
import {
  canonicalIssuer,
  describeDrift,
  explainReason,
  findMeant,
  installEventSchema,
  isApiOrigin,
  issuerMatches,
  joinPlatformUrl,
  matchInstance,
  notificationSchema,
  parseApiOrigins,
  parseIssuerPattern,
  parseJson,
  parseManifest,
  parseNotificationPath,
  parseServedManifest,
  plainWords,
} from '@dowel/schema';
import { expect, test } from 'vitest';

const sample = await readFile(new URL('../../manifest.json', import.meta.url), 'utf8');

function readProblems(text: string): string[] {
  const parsed = parseManifest(text, 'https://plugin.example.com/manifest.json');
  if (parsed.ok) return parsed.warnings.map(({ message }) => message);
  return parsed.problems.map(
    ({ line, column, message, fix }) => `${line}:${column} ${message} ${fix}`,
  );
}

test('a manifest is parsed, or its problems name a place and a fix', () => {
  expect(readProblems(sample)).toEqual([]);
  expect(readProblems('{\n  "name": 7\n}')).toContainEqual(expect.stringMatching(/^2:11 .+\. .+/));
});

test('the example of parseManifest runs', () => {
  const text = '{ "manifestVersion": "2.5.0" }';

  const parsed = parseManifest(text, 'https://plugin.example.com/manifest.json');
  const problems = parsed.ok ? [] : parsed.problems.map(({ message, fix }) => `${message} ${fix}`);

  expect(problems[0]).toContain('pluginVersion');
});

test('the example of findMeant runs', () => {
  const meant = findMeant('lifecyle', ['context', 'lifecycle']); // 'lifecycle'

  expect(meant).toBe('lifecycle');
});

test('the example of parseServedManifest runs', () => {
  const text = '{ "lifecycle": { "url": "hooks/" } }';

  const served = parseServedManifest(text, 'https://plugin.example.com/manifest.json');
  const eventsAt = served.ok ? served.manifest.lifecycle?.url : undefined;

  expect(eventsAt).toBe('hooks/');
});

test('the example of parseJson runs', () => {
  const read = () => parseJson('{ "scope": "a", "scope": "b" }'); // throws JsonError JSON_MEMBER_DUPLICATE

  expect(read).toThrow(expect.objectContaining({ code: 'JSON_MEMBER_DUPLICATE' }));
});

test('the example of canonicalIssuer runs', () => {
  const issuer = canonicalIssuer('https://Acme.example.com:443/'); // 'https://acme.example.com'

  expect(issuer).toBe('https://acme.example.com');
});

test('the example of joinPlatformUrl runs', () => {
  const url = joinPlatformUrl('https://acme.example.com/api', '/oauth/token');

  expect(url.href).toBe('https://acme.example.com/api/oauth/token');
  expect(() => joinPlatformUrl('https://acme.example.com', '//evil.example')).toThrow(TypeError);
});

test('the example of parseNotificationPath runs', () => {
  const notificationPath = parseNotificationPath('/v2/{pluginId}/{instanceId}/notify');
  const path = notificationPath('nudge', 'widget-1'); // '/v2/nudge/widget-1/notify'

  expect(path).toBe('/v2/nudge/widget-1/notify');
});

test('the example of matchInstance runs', () => {
  const [tenantId, pluginId, instanceId] = ['tenant', 'plug-in', 'widget-1'];

  const installations = [{ pluginId, instanceIds: [instanceId] }];
  const found = matchInstance(`${tenantId}_${instanceId}`, { tenantId, installations });

  expect(found).toEqual({ pluginId, instanceId });
});

test('zod issues, reasons and drift are described in plain words', () => {
  const parsed = notificationSchema.safeParse({ message: 'Hi' }, { error: plainWords });

  expect(parsed.error?.issues[0]?.message).toBe(
    'Give exactly one of recipientEmail and recipientId',
  );
  expect(explainReason('expired')?.actor).toBe('platform');
  expect(describeDrift(installEventSchema, { colour: 'red' })).toMatchObject([{ pointer: '/?' }]);
});

test('rules say where the API of an issuer may be', () => {
  const apiOrigins = parseApiOrigins('https://*.example.com=https://api.example.com');
  const url = new URL('https://api.example.com/v1');

  expect(isApiOrigin(apiOrigins, { issuer: 'https://acme.example.com', url })).toBe(true);
});

test('a pattern stands for the sub-domains of an issuer', () => {
  const pattern = parseIssuerPattern('https://*.example.com');

  expect(issuerMatches({ issuer: pattern }, 'https://acme.example.com')).toBe(true);
});
