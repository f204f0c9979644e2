/** Faults in words: what one does, and how the command is used. */
import {
  describeFaultOptions,
  type FaultName,
  type FaultOption,
  faultDescriptions,
} from '@dowel/emulator';
import { platformUsage } from './platform-options.ts';
import { wordOf } from './read-fault-call.ts';

const usage = `Usage: dowel fault NAME [options]
       dowel fault [NAME] --off

  --list              all names, with what happens and what a good back end does. NAME --help: its options
  --off               ends the faults of this name, or all
${platformUsage}`;

/** The sentences of the schema. */
export function describeFault(fault: FaultName): string {
  const { does = '', good = '' } = faultDescriptions.find(({ name }) => name === fault) ?? {};
  return `  ${does}\n  A good back end: ${good}`;
}

/** Returns how the command is used. @param name Without it: of all faults. */
export function describeFaultUsage(name: FaultName | undefined): string {
  if (!name) return usage;
  const options = Object.entries(describeFaultOptions(name)).map(([key, option]) =>
    `  ${`--${wordOf(key)} ${key.endsWith('Id') ? 'ID' : describeValue(option)}`.padEnd(30)} ${describeDefault(option)}`.trimEnd(),
  );
  return `Usage: dowel fault ${name} [options]\n\n${describeFault(name)}\n\n${options.join('\n')}\n  --platform URL`;
}

function describeValue({ type = '', const: only, enum: choices, anyOf }: FaultOption): string {
  if (anyOf) return anyOf.map(describeValue).join('|');
  if (only !== undefined) return String(only);
  if (choices) return choices.join('|');
  return { integer: 'NUMBER', string: 'TEXT', object: 'JSON', array: 'JSON' }[type] ?? '';
}

function describeDefault({ default: value }: FaultOption): string {
  return typeof value === 'number' ? `Default: ${value}` : '';
}
