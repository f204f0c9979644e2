/** What was written behind `dowel doctor`. */
import { parseArgs } from 'node:util';
import type { DoctorOptions } from '@dowel/conformance';

export const doctorUsage = `Usage: dowel doctor MANIFEST-URL [options]
       dowel doctor --explain ID

  Examines your back end, in any language: the doctor is the platform, and your back end must trust its keys.

  --origin URL        where your back end finds the platform. Default: http://localhost:4300, as the emulator
  --listen HOST:PORT  where this process listens, if that is another place
  --call CALL         how your back end is made to call the platform's API; more checks run then:
                      'POST /api/notify {"initJwt":"{initJwt}","message":"{message}"}', ./call.mjs, which exports prepare,
                      or dowel:createNotification, an operation of a back end of Dowel
  --start COMMAND     starts your back end; the doctor restarts and ends it: 'node server.js'
  --browser           opens the page of your plug-in in Chromium, by Playwright
  --slow              also runs checks that take half a minute
  --only ID           only this check; several: --only a,b
  --known FILE        findings that do not count: {"refuse.noExp": {"reason": "…", "date": "2026-11-29"}}
  --strict            a should that failed ends with 1, too
  --all               also shows what passed
  --trace             shows the messages of each finding
  --json              prints the report as JSON
  --junit FILE        also writes it as JUnit XML
  --i-own-this        the back end is on another machine, and yours
  --explain ID        says what a check is about

  Ends with 0: no must failed · 1: a must failed · 2: a mistake in the call · 3: not judged · 4: a check has no verdict`;

export type DoctorCall = Exclude<ReturnType<typeof readDoctorCall>, string | { explain: string }>;

/** Returns what is wrong as a text; '' asks for help. */
export function readDoctorCall(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        origin: text,
        listen: text,
        call: text,
        start: text,
        browser: flag,
        slow: flag,
        only: { ...text, multiple: true },
        known: text,
        junit: text,
        strict: flag,
        all: flag,
        trace: flag,
        json: flag,
        'i-own-this': flag,
        explain: text,
        help: { ...flag, short: 'h' },
      },
    });
    const { help, explain, only, known, junit, strict, all, trace, json, ...options } = values;
    if (help) return '';
    if (explain !== undefined) return { explain };
    const manifestUrl = readUrl(positionals);
    return {
      /** The command line without what only changes the report. */
      command: writeCommand(manifestUrl, options),
      manifestUrl,
      origin: readOrigin(options.origin),
      listen: readListen(options.listen),
      call: options.call,
      start: options.start,
      hasBrowser: options.browser,
      isSlow: options.slow,
      only: only?.flatMap((ids) => ids.split(',')),
      known,
      junit,
      isStrict: strict,
      all,
      traces: trace,
      isJson: json,
      isOwn: options['i-own-this'],
    };
  } catch (error) {
    return (error as Error).message;
  }
}

/** For a POSIX shell. */
function writeCommand(url: string, options: Record<string, string | boolean | undefined>): string {
  const words = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, value];
  });
  return ['dowel doctor', ...[url, ...words].map(quote)].join(' ');
}

function quote(word: string): string {
  return /^[\w:/.@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function readUrl([url, ...others]: readonly string[]): string {
  if (url !== undefined && others.length === 0) return url;
  throw new TypeError('Which back end? Give the URL of its manifest.');
}

function readOrigin(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new TypeError('--origin must be an http(s) URL without a path.');
}

function readListen(text: string | undefined): DoctorOptions['listen'] {
  if (text === undefined) return undefined;
  const [, host = '', digits = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host !== '' && port <= 65_535) return { host, port };
  throw new TypeError('--listen must be HOST:PORT, such as 127.0.0.1:4300.');
}
