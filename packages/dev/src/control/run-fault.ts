/** `dowel fault`: the next requests of the platform go wrong, by a name and with the options of the emulator's schema. */
import {
  activeFaultSchema,
  activeFaultsSchema,
  type FaultName,
  faultDescriptions,
} from '@dowel/emulator';
import { type Output, printUsage } from '../print-usage.ts';
import { describeFault, describeFaultUsage } from './describe-fault.ts';
import { type Control, openControl } from './open-control.ts';
import { findPlatform } from './platform-options.ts';
import { findFaultName, readFaultCall } from './read-fault-call.ts';

/**
 * Lists faults, or sets or ends them in a tenant of the running platform.
 *
 * @param options.root the folder whose `dowel dev` is meant
 * @returns the exit code: 0 done, 2 a mistake in the call
 * @throws DevError when no platform runs
 */
export async function runFault(
  args: readonly string[],
  { root, ...output }: Output & { root: string },
): Promise<number> {
  const call = readFaultCall(args);
  if (typeof call === 'string') {
    return printUsage(call, { usage: describeFaultUsage(findFaultName(args[0])), ...output });
  }
  if (call.what === 'list') {
    output.say(faultDescriptions.map(({ name }) => `${name}\n${describeFault(name)}`).join('\n'));
    return 0;
  }
  const { platformUrl } = await findPlatform(root, call.choice);
  await using control = await openControl({ platformUrl, tenantId: call.choice.tenantId });
  if (call.what === 'off') {
    await endFaults(control, { name: call.name, say: output.say });
    return 0;
  }
  const { fault: body } = call;
  const { fault } = await control.request('POST', '/faults', { body, shape: activeFaultSchema });
  output.say(`${fault.name} is on ${describeTimes(fault.times)}.\n${describeFault(fault.name)}`);
  return 0;
}

/** Each with how many requests have met it. */
async function endFaults(
  control: Control,
  { name, say }: { name: FaultName | undefined; say: Output['say'] },
): Promise<void> {
  const { faults } = await control.request('GET', '/faults', { shape: activeFaultsSchema });
  const ended = faults.filter(({ fault }) => name === undefined || fault.name === name);
  for (const { id, hits, fault } of ended) {
    await control.request('DELETE', `/faults/${id}`);
    say(`${fault.name} has ended. ${hits} ${hits === 1 ? 'request' : 'requests'} met it.`);
  }
  if (ended.length === 0) say('No such fault is on.');
}

function describeTimes(times: number | 'always'): string {
  if (times === 'always') return 'until it is ended with --off';
  return times === 1 ? 'for the next request' : `for the next ${times} requests`;
}
