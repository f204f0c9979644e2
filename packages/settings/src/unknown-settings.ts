/**
 * Finds misspelt settings. A program must not start with the default instead, because the lost setting may be
 * a trust rule.
 */
import { findMeant, findNearest } from '@dowel/schema';
import { otherVariables } from './other-variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The names of a program's settings, by their prefix: `DOWEL` or `EMULATOR`. `npm start` starts both programs. */
export type SettingNames = Readonly<Record<string, readonly string[]>>;

/** The variables that Kubernetes and Docker set for a service with the name `dowel` or `dowel-…`. */
const serviceName = /^(?:DOWEL|EMULATOR)(?:_\w+)?_(?:SERVICE_(?:HOST|PORT)|PORT)(?:_\w+)?$/;
const serviceValue = /^(?:(?:tcp|udp|sctp):\/\/\S+|tcp|udp|sctp|\d+|[0-9a-f.:]+)$/i;

/** A name with at most this many typing errors counts as misspelt, even in the prefix of all settings. */
const slip = 2;

/** Such as a byte order mark, a zero-width space and a no-break space. A web page or an editor has added them. */
const invisible = /[\p{Cf}\p{Z}\p{Cc}\u115f\u1160\u2800\u3164\uffa0]/u;
const invisibleEnd = new RegExp(`^${invisible.source}|${invisible.source}$`, 'u');
/** Blanks and line breaks are an editor's, too, but people see them. */
const visibleEnds = /^[\t\n\r ]+|[\t\n\r ]+$/g;

/**
 * One line for each variable that looks like a setting but is not one, and for each setting with an invisible character
 * at an end of its value, in the order of the environment. An empty variable counts as not set. No line contains a value.
 */
export function describeUnknownSettings(
  environment: Environment,
  settings: SettingNames,
): string[] {
  const known = Object.values(settings).flat();
  const exact = [...known, ...otherVariables, 'NODE_ENV'];
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!value) return [];
    if (exact.includes(name)) return describeInvisibleEnd(name, value);
    const seen = name.replaceAll(new RegExp(invisible, 'gu'), '');
    if (seen !== name && exact.includes(seen)) {
      return [`${seen} has an invisible character in its name: delete the name and type it again`];
    }
    const { nearest, distance } = findNearest(seen, known);
    const hasPrefix = Object.keys(settings).some((prefix) =>
      seen.toUpperCase().startsWith(`${prefix}_`),
    );
    const isSlip = distance <= slip && seen.length > 2 * slip && sharesInitial(seen, nearest);
    if (!isSlip && (!hasPrefix || isOfService(name, value))) return [];
    const meant = findMeant(seen, known) ?? known.find((each) => oneContinuesOther(name, each));
    const advice = meant ? `: did you mean ${meant}?` : `. There are: ${known.join(', ')}`;
    return `${printable(name)} is not a setting${advice}`;
  });
}

function describeInvisibleEnd(name: string, value: string): string[] {
  if (!invisibleEnd.test(value.replaceAll(visibleEnds, ''))) return [];
  return [`${name} must not begin or end with an invisible character: type the value again`];
}

function sharesInitial(name: string, nearest: string): boolean {
  return name[0]?.toUpperCase() === nearest[0];
}

/** Such as `DOWEL_SERVICE_HOST=10.0.0.1` and `DOWEL_BFF_PORT=tcp://10.0.0.1:80`, which no person wrote. */
function isOfService(name: string, value: string): boolean {
  return serviceName.test(name) && serviceValue.test(value);
}

function oneContinuesOther(name: string, other: string): boolean {
  const [shorter, longer] = name.length < other.length ? [name, other] : [other, name];
  return longer.toUpperCase().startsWith(`${shorter.toUpperCase()}_`);
}

/** A name may contain control sequences for a terminal. */
function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?').slice(0, 100);
}
