/** Histories of one installation: every order of five events, with duplicates and copies signed again. */
import type { OrderedEvent } from './expected-outcome.ts';

export interface Delivery extends OrderedEvent {
  /** Differs between copies that were signed again. */
  jti: string;
}

export interface OrderedHistory {
  /** In the order of their arrival. */
  deliveries: Delivery[];
  /** Codes that the platform refuses: they were signed again after their life had ended. */
  refusedCodes: Set<string>;
}

const event = (name: OrderedEvent['name'], iat: number, code?: string): Delivery => ({
  name,
  iat,
  jti: `${name} ${iat}`,
  ...(code === undefined ? {} : { code }),
});

/** As the platform signed them: both codes in the first life, one in each, and a life that ends twice. */
const timelines: Record<string, Delivery[]> = {
  'both codes in the first life': [
    event('install', 1_010),
    event('access_token', 1_020, 'A'),
    event('access_token', 1_040, 'B'),
    event('uninstall', 1_060),
    event('install', 1_080),
  ],
  'a code in each life': [
    event('install', 1_010),
    event('access_token', 1_020, 'A'),
    event('uninstall', 1_040),
    event('install', 1_060),
    event('access_token', 1_080, 'B'),
  ],
  'an end after the second life': [
    event('install', 1_010),
    event('access_token', 1_020, 'A'),
    event('install', 1_040),
    event('access_token', 1_060, 'B'),
    event('uninstall', 1_080),
  ],
};

export const timelineNames = Object.keys(timelines);

/**
 * Every order of a timeline's events, each with copies at random places. Late copies are codes of an
 * ended life that were signed again after its end.
 */
export function createHistories(
  timeline: string,
  copies: 'none' | 'some',
  seed: number,
): OrderedHistory[] {
  const random = createRandom(seed);
  return permute(timelines[timeline] ?? []).map((deliveries) => {
    const refusedCodes = new Set<string>();
    if (copies === 'none') return { deliveries, refusedCodes };
    const all = [...deliveries];
    for (const each of deliveries) {
      for (const copy of copiesOf(each, deliveries, random)) {
        const isLate = copy.iat > each.iat + 1;
        if (copy.code && isLate) refusedCodes.add(copy.code);
        all.splice(Math.floor(random() * (all.length + 1)), 0, copy);
      }
    }
    return { deliveries: all, refusedCodes };
  });
}

function copiesOf(
  each: Delivery,
  deliveries: readonly Delivery[],
  random: () => number,
): Delivery[] {
  const copies: Delivery[] = [];
  if (random() < 0.4) copies.push(each);
  const again = { ...each, iat: each.iat + 1, jti: `${each.jti} again` };
  if (random() < 0.4) copies.push(again);
  const end = deliveries.find(({ name }) => name === 'uninstall')?.iat ?? 0;
  const isEnded = each.code !== undefined && each.iat < end;
  if (isEnded && random() < 0.3) copies.push({ ...each, iat: end + 10, jti: `${each.jti} late` });
  return copies;
}

function permute<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permute(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

/** Repeats itself for a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
