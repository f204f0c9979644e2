/** Threat I05: a name whose servers are silent, and the threads that look names up. */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from './guarded-fetch.ts';
import { shareLookups } from './shared-lookup.ts';
import { RequestNotSentError } from './unsent-request.ts';

const slowMs = 2_000;
const address: LookupAddress = { address: '93.184.215.14', family: 4 };

let nowMs: number;
/** The names that are being looked up, with what ends each. */
let asked: { name: string; answer: Parameters<LookupFunction>[2] }[];
let lookup: LookupFunction;

beforeEach(() => {
  nowMs = 0;
  asked = [];
  const collect: LookupFunction = (name, _, answer) => void asked.push({ name, answer });
  lookup = shareLookups(collect, { slowMs, now: () => nowMs });
});

/** Resolves with the addresses, or the code of the error. */
const find = (name: string) =>
  new Promise((resolve) => {
    lookup(name, { all: true }, (error, found) => resolve(error ? error.code : found));
  });

/** Asks, and answers after this time. */
async function findIn(ms: number, ...answer: Parameters<Parameters<LookupFunction>[2]>) {
  const found = find('slow.example');
  nowMs += ms;
  asked.at(-1)?.answer(...answer);
  return found;
}

const refused = Object.assign(new Error(), { code: 'ENOTFOUND' });

describe('look-ups of one name', () => {
  test('are one if they come together', async () => {
    const found = [find('a.example'), find('a.example'), find('b.example')];
    expect(asked.map(({ name }) => name)).toEqual(['a.example', 'b.example']);
    for (const { answer } of asked) answer(null, [address]);

    expect(await Promise.all(found)).toEqual(Array(3).fill([address]));
  });

  test('are separate for another kind of address', () => {
    for (const family of [0, 4, 4]) lookup('a.example', { family }, () => {});

    expect(asked).toHaveLength(2);
  });

  test('ask again after each quick answer, also after a quick failure', async () => {
    expect(await findIn(slowMs - 1, refused, '')).toBe('ENOTFOUND');
    expect(await findIn(0, null, [address])).toEqual([address]);
    expect(await findIn(0, refused, '')).toBe('ENOTFOUND');

    expect(asked).toHaveLength(3);
  });

  test('I05: fail at once while one of them takes too long, and other names are looked up', async () => {
    const waiting = find('slow.example');
    nowMs += slowMs;

    expect(await find('slow.example')).toBe('EAI_AGAIN');

    void find('other.example');
    expect(asked.map(({ name }) => name)).toEqual(['slow.example', 'other.example']);
    asked[0]?.answer(null, [address]);
    expect(await waiting).toEqual([address]);
  });

  test.each([
    { what: 'its failure', error: refused, found: '', answer: 'ENOTFOUND' },
    { what: 'its addresses', error: null, found: [address], answer: [address] },
  ])('I05: get $what for 5 s after a slow answer, and then ask again', async (slow) => {
    await findIn(slowMs, slow.error, slow.found);
    nowMs += 4_999;
    expect(await find('slow.example')).toEqual(slow.answer);
    expect(asked).toHaveLength(1);

    nowMs += 1;
    void find('slow.example');

    expect(asked).toHaveLength(2);
  });

  test('I05: are rarer after each slow answer, down to one in 30 s, until a quick one', async () => {
    const slowly = () => findIn(slowMs, refused, '');
    for (const [index, seconds] of [5, 10, 20, 30, 30].entries()) {
      await slowly();
      nowMs += seconds * 1_000 - 1;
      await find('slow.example');
      expect(asked).toHaveLength(index + 1);
      nowMs += 1;
    }

    await findIn(0, null, [address]);
    await slowly();
    nowMs += 5_000;
    void find('slow.example');

    expect(asked).toHaveLength(8);
  });
});

test('I05: requests to a name whose servers are silent look it up once, and other names are found', async () => {
  const names: string[] = [];
  const silent: LookupFunction = (name, _, answer) => {
    names.push(name);
    if (name !== 'silent.example.com') answer(refused, '');
  };
  const fetch = createGuardedFetch({ lookup: silent });
  const ask = () =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        fetch('https://silent.example.com/').catch((error: unknown) => error),
      ),
    );

  await ask();
  const later = await ask();

  for (const error of later) {
    expect(error).toBeInstanceOf(RequestNotSentError);
    expect(error).toMatchObject({ cause: { code: 'EAI_AGAIN' } });
  }
  await expect(fetch('https://other.example.com/')).rejects.toMatchObject({ cause: refused });
  expect(names).toEqual(['silent.example.com', 'other.example.com']);
});
