import { fleetSeriesSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sendEvent } from '../testing/send-event.ts';
import { startWorld, type World } from '../testing/start-world.ts';
import { planSeries } from './fleet-series.ts';

const minuteMs = 60_000;

let world: World;
let cookie: string;
let aheadMs: number;

beforeEach(async () => {
  aheadMs = 0;
  world = await startWorld({ app: { now: () => Date.now() + aheadMs } });
  cookie = await world.signIn();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

async function get(query: string, headers: Record<string, string> = { cookie }) {
  const response = await fetch(`${world.url}/admin/api/fleet/series${query}`, { headers });
  return { status: response.status, body: (await response.json()) as { code?: string } };
}

const total = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

describe('GET /admin/api/fleet/series', () => {
  test('has the counts and what happened, after the minute is over', async () => {
    await world.install();
    await world.drain();

    aheadMs = minuteMs;
    const series = fleetSeriesSchema.parse((await get('')).body);

    expect(series.span).toBe('24h');
    expect(series.groups.working).toHaveLength(288);
    expect(series.groups.working.findLast((value) => value !== null)).toBe(1);
    expect(series.groups.working.filter((value) => value !== null)).toHaveLength(1);
    expect(total(series.rates.events)).toBeGreaterThan(1);
    expect(total(series.rates.refused)).toBe(0);
    expect(series.countingSince).not.toBeNull();
  });

  test('counts a refused event, once', async () => {
    await sendEvent(world, 'no.jwt.here');
    await world.drain();

    aheadMs = minuteMs;
    const { rates } = fleetSeriesSchema.parse((await get('?span=7d')).body);

    expect(total(rates.refused)).toBe(1);
    expect(total(rates.shed)).toBe(0);
  });

  test('counts calls by outcome, and says how long they took', async () => {
    const { installationId } = await world.install();
    for (const path of ['/api/users', '/api/nothing/here'] as const) {
      await world.platformOf(installationId).fetch(path);
    }
    await world.drain();

    aheadMs = minuteMs;
    const { rates, callMs } = fleetSeriesSchema.parse((await get('')).body);

    const { callsSucceeded, callsFailed, callsRefused } = rates;
    expect(total(callsSucceeded) + total(callsRefused)).toBe(2);
    expect(total(callsRefused)).toBeGreaterThan(0);
    expect(total(callsFailed)).toBe(0);
    expect(callMs.p50.filter((value) => value !== null)).toHaveLength(1);
    expect(total(callMs.p95)).toBeGreaterThanOrEqual(total(callMs.p50));
  });

  test('is empty before the first sample', async () => {
    const { body } = await get('?span=30d');

    const series = fleetSeriesSchema.parse(body);
    expect(series.countingSince).toBeNull();
    expect(new Set(series.groups.broken)).toEqual(new Set([null]));
  });

  test('refuses an unknown span, and anyone without a session', async () => {
    expect(await get('?span=1y')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(await get('', {})).toMatchObject({ status: 401, body: { code: 'SIGN_IN_REQUIRED' } });
  });
});

test.each(['24h', '7d', '30d'] as const)('a span of %s has at most 300 whole steps', (span) => {
  const now = Date.UTC(2026, 10, 22, 13, 47, 41);

  const { from, until, stepMs, ratesUntil } = planSeries(span, now);

  const steps = (until - from) / stepMs;
  expect(Number.isInteger(steps)).toBe(true);
  expect(steps).toBeGreaterThan(150);
  expect(steps).toBeLessThanOrEqual(300);
  expect(from % stepMs).toBe(0);
  expect(until).toBeGreaterThan(now);
  expect(until - now).toBeLessThanOrEqual(stepMs);
  expect(ratesUntil).toBe(Date.UTC(2026, 10, 22, 13, 47));
});
