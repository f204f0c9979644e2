/** A misspelt setting must not start a program on its default: a trust rule could be what is lost. */
import { backEndSettings, emulatorSettings, otherVariables, storeSettings } from './names.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Whose settings a program reads. `npm start` starts both. */
export type SettingsOf = 'DOWEL' | 'EMULATOR';

const names: Record<SettingsOf, readonly string[]> = {
  DOWEL: [...storeSettings, ...backEndSettings],
  EMULATOR: emulatorSettings,
};

/** What Kubernetes and Docker set for a service that is called `dowel` or `dowel-…`. */
const serviceName = /^(?:DOWEL|EMULATOR)(?:_\w+)?_(?:SERVICE_(?:HOST|PORT)|PORT)(?:_\w+)?$/;
const serviceValue = /^(?:(?:tcp|udp|sctp):\/\/\S+|tcp|udp|sctp|\d+|[0-9a-f.:]+)$/i;

/** A slip of so few letters is taken for one, even in the part that all settings begin with. */
const slip = 2;

/**
 * One line for each variable that looks like a setting and is none, in the order of the environment.
 * An empty variable is one that is not set. No line holds a value.
 */
export function describeUnknownSettings(
  environment: Environment,
  programs: readonly SettingsOf[],
): string[] {
  const known = programs.flatMap((program) => names[program]);
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!value || known.includes(name) || otherVariables.includes(name)) return [];
    const { nearest, distance } = findNearest(name.toUpperCase(), known);
    const hasPrefix = programs.some((program) => name.toUpperCase().startsWith(`${program}_`));
    const isSlip = distance <= slip && name.length > 2 * slip && sharesInitial(name, nearest);
    if (!isSlip && (!hasPrefix || isOfService(name, value))) return [];
    const isNear = distance <= nearest.length / 3;
    const meant = isNear ? nearest : known.find((each) => oneContinuesOther(name, each));
    const advice = meant ? `: did you mean ${meant}?` : '. All settings are in .env.example.';
    return `${printable(name)} is no setting${advice}`;
  });
}

function sharesInitial(name: string, nearest: string): boolean {
  return name[0]?.toUpperCase() === nearest[0];
}

/** `DOWEL_SERVICE_HOST=10.0.0.1`, `DOWEL_BFF_PORT=tcp://10.0.0.1:80`: nobody wrote them. */
function isOfService(name: string, value: string): boolean {
  return serviceName.test(name) && serviceValue.test(value);
}

function oneContinuesOther(name: string, other: string): boolean {
  const [shorter, longer] = name.length < other.length ? [name, other] : [other, name];
  return longer.toUpperCase().startsWith(`${shorter.toUpperCase()}_`);
}

/** A name may hold what a terminal would obey. */
function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?').slice(0, 100);
}

function findNearest(name: string, known: readonly string[]) {
  return known
    .map((nearest) => ({ nearest, distance: distanceOf(name.slice(0, 100), nearest) }))
    .reduce((best, each) => (each.distance < best.distance ? each : best));
}

/** How many letters must be put in, taken out, changed or swapped with their neighbour. */
export function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
