/** Checks the types of options. Each error names the option. */

/** @throws TypeError */
export function assertObject(
  name: string,
  given: unknown,
): asserts given is Record<string, unknown> {
  if (hasMembers(given)) return;
  const isList = typeof given === 'object' && given !== null;
  throw new TypeError(
    `${name} must be an object${isList ? ' with members, not an array or a Map' : ''}`,
  );
}

/** `Object.entries` of a Map, an array or Headers does not have their values, which would be lost. */
function hasMembers(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !(Symbol.iterator in given);
}

/** @throws TypeError */
export function assertPlainHeaders(name: string, given: unknown): void {
  if (hasMembers(given)) return;
  throw new TypeError(
    `${name} must be a plain object. Write Object.fromEntries(headers) for an instance of Headers`,
  );
}

/** The members without those that are undefined: they count as left out, so they override no default. */
export function givenOf<Options extends object>(options: Options | undefined): Partial<Options> {
  const entries = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Options>;
}

/** One that is undefined counts as left out. @throws TypeError */
export function assertFunction(name: string, given: unknown): void {
  if (given === undefined || typeof given === 'function') return;
  throw new TypeError(`${name} must be a function`);
}

/** One that is undefined counts as left out. @throws TypeError */
export function assertText(name: string, given: unknown): void {
  if (given === undefined || (typeof given === 'string' && given !== '')) return;
  throw new TypeError(`${name} must be a string`);
}

/** One that is undefined counts as left out. @throws TypeError */
export function assertTexts(name: string, given: unknown): asserts given is string[] | undefined {
  const isText = (each: unknown) => typeof each === 'string' && each !== '';
  if (given === undefined || (Array.isArray(given) && given.every(isText))) return;
  throw new TypeError(`${name} must be an array of strings, none of them empty`);
}

/**
 * As {@link assertTexts}, for a list whose variable separates its entries by blanks and commas.
 *
 * @throws TypeError
 */
export function assertWords(name: string, given: unknown): void {
  assertTexts(name, given);
  const several = given?.find((each) => /[\s,]/.test(each));
  if (several === undefined) return;
  throw new TypeError(
    `${name} has the entry ${JSON.stringify(several)}: one with a blank or a comma would be several. Write each as an entry of its own`,
  );
}

/** One that is undefined counts as left out. @throws TypeError */
export function assertOneOf(name: string, given: unknown, allowed: readonly unknown[]): void {
  if (given === undefined || allowed.includes(given)) return;
  throw new TypeError(
    `${name} must be ${allowed.map((each) => JSON.stringify(each)).join(' or ')}`,
  );
}

/** One that is undefined counts as left out. @throws TypeError */
export function assertWhole(
  name: string,
  given: unknown,
  { least, most }: { least: number; most: number },
): void {
  const isWhole = typeof given === 'number' && Number.isInteger(given);
  if (given === undefined || (isWhole && given >= least && given <= most)) return;
  throw new TypeError(`${name} must be a whole number from ${least} to ${most}`);
}

/**
 * For an option in milliseconds whose variable has a larger unit. One that is undefined counts as left out.
 *
 * @param range `min` and `max` in units of `unitMs`
 * @throws TypeError
 */
export function assertUnits(
  name: string,
  given: unknown,
  { unit, unitMs, min, max }: { unit: string; unitMs: number; min: number; max: number },
): void {
  const count = typeof given === 'number' ? given / unitMs : Number.NaN;
  if (given === undefined || (Number.isInteger(count) && count >= min && count <= max)) return;
  const [least, most] = [min, max].map((each) => (each * unitMs).toLocaleString('en-US'));
  throw new TypeError(`${name} must be whole ${unit} in milliseconds, ${least} to ${most}`);
}

/**
 * One that is undefined counts as left out.
 *
 * @param place before the names in messages: '' or `limits.`.
 * @param owner what has these options, for messages.
 * @throws TypeError that names the first unknown one, and all known ones
 */
export function assertNames(
  place: string,
  given: object | undefined,
  known: object,
  owner = 'createServer',
): void {
  if (given === undefined) return;
  assertObject(place.slice(0, -1) || `${owner}: options`, given);
  const unknown = Object.entries(given).find(
    ([name, value]) => value !== undefined && !Object.hasOwn(known, name),
  );
  if (!unknown) return;
  const [name] = unknown;
  throw new TypeError(
    `${owner} has no option ${place}${name}. There are: ${Object.keys(known).join(', ')}`,
  );
}
