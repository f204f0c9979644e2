/** The messages of a check, and the command that sends one of them again. */
import { plain } from './plain.ts';
import type { CheckResult } from './report.ts';

type Message = NonNullable<CheckResult['exchanges']>[number];

/** Headers that curl sets itself. */
const ownHeaders = ['host', 'content-length', 'connection', 'accept-encoding', 'user-agent'];

/** Returns the lines of all messages, oldest first. Empty without `trace`. @param hasCurl for each request to the back end */
export function formatTrace({ exchanges = [] }: CheckResult, hasCurl: boolean): string[] {
  return exchanges.flatMap((message) => [
    ...describeMessage(message),
    ...(hasCurl && message.direction === 'out' ? [`  ${toCurl(message)}`] : []),
  ]);
}

function describeMessage(message: Message): string[] {
  const { direction, method, url, headers, body, status, answer, fault } = message;
  const arrow = direction === 'out' ? 'to the back end' : 'from the back end';
  return [
    `${arrow}: ${method} ${plain(url)}${fault === null ? '' : ` (${fault})`}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${plain(value)}`),
    ...linesOf(body),
    `  ${status === null ? 'no answer' : `status ${status}`}`,
    ...linesOf(answer ?? ''),
  ];
}

function linesOf(body: string): string[] {
  if (body === '') return [];
  return plain(body)
    .split('\n')
    .map((line) => `  ${line}`);
}

/** The form of the request: secrets are masked, so a JWT must be put in for `[token]`. */
function toCurl({ method, url, headers, body }: Message): string {
  const options = Object.entries(headers)
    .filter(([name]) => !ownHeaders.includes(name.toLowerCase()))
    .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const data = method === 'GET' ? [] : [`--data-raw ${quote(body)}`];
  return ['curl -i', `-X ${method}`, ...options, ...data, quote(url)].join(' ');
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${plain(text).replaceAll("'", String.raw`'\''`)}'`;
}
