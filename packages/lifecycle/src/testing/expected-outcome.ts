/**
 * The expected state of an installation after events in any order, with any repetitions. A model without
 * rows, generations or statements: docs/decisions/0017.
 *
 * 1. The time of an event's signature counts, not its arrival.
 * 2. The plug-in is uninstalled if nothing was signed after its newest uninstall.
 * 3. Otherwise it is installed. Its tokens are those of the newest access_token event that was signed
 *    after that uninstall; without one, it waits for them.
 * 4. A code belongs to the time of its first signature. Signing it again does not make it newer.
 * 5. A code that the platform refuses brings no tokens, and installs nothing after an uninstall.
 * 6. A widget is placed if the newest event about it is an addition. An uninstall does not change that. An
 * addition that was refused, because its life had ended, places nothing.
 */
export interface OrderedEvent {
  name: 'install' | 'access_token' | 'uninstall' | 'instance_add' | 'instance_remove';
  /** When it was signed. */
  iat: number;
  /** For an access_token event: its code. */
  code?: string;
  /** For an event about a widget: its instance. */
  instanceId?: string;
}

export interface Outcome {
  status: 'unknown' | 'pending' | 'active' | 'uninstalled';
  /** The code that the stored tokens came from. */
  code: string | null;
  /** The widgets that are placed, by name. */
  instances: string[];
}

/** @param arrived without refused additions, and without events that must be sent again. */
export function expectOutcome(
  arrived: readonly OrderedEvent[],
  refusedCodes: ReadonlySet<string> = new Set(),
): Outcome {
  const instances = expectInstances(arrived);
  if (arrived.length === 0) return { status: 'unknown', code: null, instances };
  const uninstalls = arrived.filter(({ name }) => name === 'uninstall');
  const endedAt = Math.max(...uninstalls.map(({ iat }) => iat), 0);
  const signedFirst = (code: string) =>
    Math.min(...arrived.filter((each) => each.code === code).map(({ iat }) => iat));
  const tokens = arrived
    .flatMap(({ code, iat }) => (code === undefined ? [] : [{ code, iat }]))
    .filter(({ code }) => signedFirst(code) > endedAt && !refusedCodes.has(code))
    .toSorted((left, right) => right.iat - left.iat);
  const [newest] = tokens;
  if (newest) return { status: 'active', code: newest.code, instances };
  const isInstalled = arrived.some(({ name, iat }) => name === 'install' && iat > endedAt);
  const status = isInstalled || endedAt === 0 ? 'pending' : 'uninstalled';
  return { status, code: null, instances };
}

function expectInstances(arrived: readonly OrderedEvent[]): string[] {
  const newest = new Map<string, OrderedEvent>();
  for (const event of arrived.toSorted((left, right) => left.iat - right.iat)) {
    if (event.instanceId !== undefined) newest.set(event.instanceId, event);
  }
  const placed = [...newest].filter(([, { name }]) => name === 'instance_add');
  return placed.map(([instanceId]) => instanceId).toSorted();
}
