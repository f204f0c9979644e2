/** `dowel send`: the platform sends an event, and the answer of the back end is printed, with a verdict or as JSON. */
import { parseArgs } from 'node:util';
import { type Exchange, exchangeSchema, exchangesSchema, pluginsSchema } from '@dowel/emulator';
import { type LifecycleEventName, lifecycleEventNames } from '@dowel/schema';
import { DevError } from '../dev-error.ts';
import { type Output, printUsage } from '../print-usage.ts';
import { describeExchange, describeVerdict } from './describe-exchange.ts';
import { type Control, openControl } from './open-control.ts';
import {
  findPlatform,
  platformOptions,
  platformUsage,
  readPlatformChoice,
} from './platform-options.ts';

const usage = `Usage: dowel send EVENT [options]

  EVENT is ${lifecycleEventNames.join(', ')}. The platform's own state stays as it is.

  --times 2           sends the same event so often
  --again             sends the newest such event again, as it was
  --expired           it expired an hour ago
  --foreign-key       signed by a key that is not the platform's
  --claims JSON       replaces claims, such as '{"instanceId":"…"}'
  --to PLUGIN-ID      the plug-in. Default: that of the dowel dev in this folder, or the only one
  --json              one JSON object for each event that was sent, without a verdict
${platformUsage}`;

type SendOptions = Exclude<ReturnType<typeof readOptions>, string>;

/**
 * Sends an event.
 *
 * @param options.root the folder whose `dowel dev` is meant
 * @returns the exit code: 0 accepted, 1 refused or not answered, 2 a mistake in the call
 * @throws DevError when no platform runs, or when it cannot send the event
 */
export async function runSend(
  args: readonly string[],
  { root, ...output }: Output & { root: string },
): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') return printUsage(options, { usage, ...output });
  const { platformUrl, manifestUrl } = await findPlatform(root, options.choice);
  await using control = await openControl({ platformUrl, tenantId: options.choice.tenantId });
  const pluginId = options.to ?? (await findPlugin(control, manifestUrl));
  const exchanges: Exchange[] = [];
  let id = options.isAgain ? await findNewest(control, pluginId, options.event) : undefined;
  for (let count = 0; count < options.times; count += 1) {
    const exchange = await (id === undefined
      ? sendNew(control, pluginId, options)
      : control.request('POST', `/exchanges/${id}/resend`, { body: {}, shape: exchangeSchema }));
    id ??= exchange.id;
    exchanges.push(exchange);
    output.say(options.isJson ? JSON.stringify(exchange) : describeExchange(exchange));
  }
  if (!options.isJson) output.say(describeVerdict(exchanges, options));
  return exchanges.every(({ error }) => error === null) ? 0 : 1;
}

/** Returns what is wrong as a text; '' asks for help. */
function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        times: { ...text, default: '1' },
        again: flag,
        expired: flag,
        'foreign-key': flag,
        claims: text,
        to: text,
        json: flag,
        ...platformOptions,
      },
    });
    if (values.help) return '';
    const options = {
      event: readEvent(positionals),
      times: readTimes(values.times),
      isAgain: values.again,
      isExpired: values.expired,
      hasForeignKey: values['foreign-key'],
      claims: readClaims(values.claims),
      to: values.to,
      isJson: values.json,
      choice: readPlatformChoice(values),
    };
    if (!options.isAgain || Object.keys(changeOf(options)).length === 0) return options;
    return '--again sends an event as it was, so nothing else of it can be chosen.';
  } catch (error) {
    return (error as Error).message;
  }
}

function readEvent([name, ...others]: readonly string[]): LifecycleEventName {
  const event = lifecycleEventNames.find((each) => each === name);
  if (event && others.length === 0) return event;
  throw new TypeError(`Which event? Give one of ${lifecycleEventNames.join(', ')}.`);
}

function readTimes(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new TypeError('--times must be a number from 1 to 999.');
}

function readClaims(text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(text);
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return claims;
  } catch {
    // The same mistake.
  }
  throw new TypeError('--claims must be a JSON object, such as \'{"instanceId":"…"}\'.');
}

function sendNew(control: Control, pluginId: string, options: SendOptions): Promise<Exchange> {
  const body = { event: options.event, ...changeOf(options) };
  const path = `/plugins/${encodeURIComponent(pluginId)}/events`;
  return control.request('POST', path, { body, shape: exchangeSchema });
}

/** What is sent in place of an event as the platform sends it. */
function changeOf({
  isExpired,
  hasForeignKey,
  claims,
}: Pick<SendOptions, 'isExpired' | 'hasForeignKey' | 'claims'>): object {
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  const expired = isExpired && { iat: hourAgo - 60, exp: hourAgo };
  return {
    ...(hasForeignKey && { key: 'stranger' }),
    ...((expired || claims) && { claims: { ...expired, ...claims } }),
  };
}

/** @throws DevError when it is not clear which one */
async function findPlugin(control: Control, manifestUrl: string | undefined): Promise<string> {
  const { installations } = await control.request('GET', '/plugins', { shape: pluginsSchema });
  const found = installations.filter(
    (each) => manifestUrl === undefined || each.manifestUrl === manifestUrl,
  );
  const [first] = found;
  if (!first) throw new DevError('The plug-in is not installed in this tenant.');
  if (found.length === 1) return first.pluginId;
  const names = found.map(({ pluginId, manifestUrl: url }) => `\n  --to ${pluginId}  ${url}`);
  throw new DevError(`Several plug-ins are installed in this tenant. Choose one:${names.join('')}`);
}

/** @throws DevError when there is none */
async function findNewest(
  control: Control,
  pluginId: string,
  event: LifecycleEventName,
): Promise<number> {
  const query = new URLSearchParams({ kind: 'event', pluginId }).toString();
  const { exchanges } = await control.request('GET', `/exchanges?${query}`, {
    shape: exchangesSchema,
  });
  const newest = exchanges.findLast((each) => each.event === event);
  if (newest) return newest.id;
  throw new DevError(`The platform has not sent ${event} to this plug-in yet.`);
}
