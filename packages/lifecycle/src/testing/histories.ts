/** Histories of one installation: every order of five events, with duplicates and copies signed again. */
import type { OrderedEvent } from './expected-outcome.ts';

export interface Delivery extends OrderedEvent {
  /** Differs between copies that were signed again. */
  jti: string;
}

export interface OrderedHistory {
  /** In the order of their arrival. */
  deliveries: Delivery[];
  /** Codes that the platform refuses: some always, others because they were signed again after the end of their life. */
  refusedCodes: Set<string>;
  /** Codes whose first exchange finds the token endpoint down, so that the event must be sent again. */
  postponedCodes: Set<string>;
}

const event = (name: OrderedEvent['name'], iat: number, code?: string): Delivery => ({
  name,
  iat,
  jti: `${name} ${iat}`,
  ...(code === undefined ? {} : { code }),
});

const instance = (name: 'instance_add' | 'instance_remove', iat: number, instanceId: string) => ({
  ...event(name, iat),
  instanceId,
});

/** The platform refuses these codes. */
const refused = ['R', 'S'];

/** In the order of their signatures. */
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
  'a refused code in each life': [
    event('install', 1_010),
    event('access_token', 1_020, 'R'),
    event('uninstall', 1_040),
    event('install', 1_060),
    event('access_token', 1_080, 'S'),
  ],
  'a refused code before and after the tokens': [
    event('install', 1_010),
    event('access_token', 1_020, 'R'),
    event('access_token', 1_040, 'A'),
    event('uninstall', 1_060),
    event('access_token', 1_080, 'S'),
  ],
  'a widget in each life': [
    event('install', 1_010),
    instance('instance_add', 1_020, 'one'),
    event('uninstall', 1_040),
    event('install', 1_060),
    instance('instance_add', 1_080, 'two'),
  ],
  'a widget that is placed again': [
    event('access_token', 1_010, 'A'),
    instance('instance_add', 1_020, 'one'),
    instance('instance_remove', 1_040, 'one'),
    event('uninstall', 1_060),
    instance('instance_add', 1_080, 'one'),
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
    const codes = deliveries.flatMap(({ code }) => code ?? []);
    const refusedCodes = new Set(codes.filter((code) => refused.includes(code)));
    const postponedCodes = new Set<string>();
    if (copies === 'none') return { deliveries, refusedCodes, postponedCodes };
    for (const code of codes) if (random() < 0.5) postponedCodes.add(code);
    const all = [...deliveries];
    for (const each of deliveries) {
      for (const copy of copiesOf(each, deliveries, random)) {
        const isLate = copy.iat > each.iat + 1;
        if (copy.code && isLate) refusedCodes.add(copy.code);
        all.splice(Math.floor(random() * (all.length + 1)), 0, copy);
      }
    }
    return { deliveries: all, refusedCodes, postponedCodes };
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

/** The same numbers for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
