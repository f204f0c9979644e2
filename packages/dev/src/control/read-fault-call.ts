/** The command line of `dowel fault`: the options of a name are those of the emulator's schema. */
import { parseArgs } from 'node:util';
import {
  describeFaultOptions,
  type FaultName,
  type FaultOption,
  faultDescriptions,
  faultSchema,
} from '@dowel/emulator';
import { findMeant, plainWords } from '@dowel/schema';
import { type PlatformChoice, platformOptions, readPlatformChoice } from './platform-options.ts';

export type FaultCall =
  | { what: 'list' }
  | { what: 'off'; name: FaultName | undefined; choice: PlatformChoice }
  | { what: 'on'; fault: object; choice: PlatformChoice };

/** Returns what is wrong as a text; '' asks for help. */
export function readFaultCall(args: readonly string[]): FaultCall | string {
  const [first = ''] = args;
  try {
    if (args.includes('--off')) return readOff(args);
    if (first === '' || first.startsWith('-')) return readList(args);
    const name = findFaultName(first);
    return name ? readFault(name, args.slice(1)) : describeUnknown(first);
  } catch (error) {
    return (error as Error).message;
  }
}

function readList(args: readonly string[]): FaultCall | string {
  const { list, help } = { ...platformOptions, list: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args: [...args], options: { list, help } });
  if (values.help) return '';
  return values.list ? { what: 'list' } : 'Which fault?';
}

function readOff(args: readonly string[]): FaultCall | string {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...platformOptions, off: { type: 'boolean' } },
  });
  if (values.help) return '';
  const [name] = positionals.map(findFaultName);
  const isKnown = positionals.length === 0 || (positionals.length === 1 && name !== undefined);
  if (!isKnown) return describeUnknown(positionals.find((each) => !findFaultName(each)));
  return { what: 'off', name, choice: readPlatformChoice(values) };
}

function readFault(name: FaultName, args: readonly string[]): FaultCall | string {
  const options = Object.entries(describeFaultOptions(name));
  const { platform, help } = platformOptions;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(
        options.map(
          ([key, { type }]) =>
            [wordOf(key), { type: type === 'boolean' ? type : 'string' }] as const,
        ),
      ),
      platform,
      help,
    },
  });
  if (values.help) return '';
  const given = values as Record<string, string | boolean | undefined>;
  const chosen = options.flatMap(([key, option]) => {
    const value = given[wordOf(key)];
    return value === undefined ? [] : [[key, convert(option, value)] as const];
  });
  const fault = { name, ...Object.fromEntries(chosen) };
  const { error } = faultSchema.safeParse(fault, { error: plainWords });
  if (error) {
    return error.issues
      .map(({ path: [key = ''], message }) => `--${wordOf(String(key))}: ${message}.`)
      .join('\n');
  }
  return { what: 'on', fault, choice: readPlatformChoice(values) };
}

/** @param name undefined: there is more than one */
function describeUnknown(name = ''): string {
  const names = faultDescriptions.map((each) => each.name);
  const meant = findMeant(name, names);
  const question = meant ? ` Did you mean ${meant}?` : '';
  return `There is no such fault.${question} "dowel fault --list" shows all.`;
}

/** Undefined: no fault has this name. */
export function findFaultName(text: string | undefined): FaultName | undefined {
  return faultDescriptions.find(({ name }) => name === text)?.name;
}

/** `retryAfter` is the option `--retry-after`. */
export function wordOf(key: string): string {
  if (key === 'tenantId' || key === 'pluginId') return key.slice(0, -2);
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** What is neither a text nor JSON stays as it is: the schema says what is expected. */
function convert({ type }: FaultOption, given: string | boolean): unknown {
  if (typeof given === 'boolean' || type === 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
