/**
 * Refuses start options that break our promises: a lenient parser allows request smuggling, and an
 * inspector or a debug switch shows every token. The check runs before anything is opened.
 */
import inspector from 'node:inspector';
import { isLoopback } from '@dowel/schema';
import { ConfigError } from '@dowel/server';

/** The options and variables with which this process was started. */
export interface StartedWith {
  /** Node's own options, as in `process.execArgv`. */
  execArgv: readonly string[];
  environment: Record<string, string | undefined>;
  /** Where the inspector listens, as from `inspector.url()`. */
  inspectorUrl: string | undefined;
}

interface Rule {
  /** An option's name without its value, or the name of an environment variable. */
  name: RegExp;
  why: string;
}

const always: Rule[] = [
  { name: /^--insecure-http-parser$/, why: 'requests could be smuggled past a proxy' },
  { name: /^--security-reverts?$/, why: 'it brings a known weakness of Node back' },
  { name: /^--tls-keylog$/, why: 'it writes down the keys of every connection' },
];

const inProduction: Rule[] = [
  { name: /^--inspect(?:-brk|-wait)?$/, why: 'an inspector reads every token' },
  { name: /^--trace-tls$/, why: 'it prints what connections carry' },
  { name: /^--tls-min-v1\.[01]$/, why: 'TLS before 1.2 is broken' },
  { name: /^--heapsnapshot-(?:signal|near-heap-limit)$/, why: 'a snapshot holds every token' },
  {
    name: /^--report-(?:on-signal|on-fatalerror|uncaught-exception)$/,
    why: 'a report holds the environment with its passwords',
  },
  { name: /^NODE_DEBUG(?:_NATIVE)?$/, why: 'it prints requests with their tokens' },
];

/** @throws ConfigError with one line for each unsafe option. */
export function assertSafeStart(started: StartedWith): void {
  const isProduction = started.environment.NODE_ENV === 'production';
  const rules = isProduction ? [...always, ...inProduction] : always;
  const problems = namesOf(started).flatMap(({ name, where }) => {
    const rule = rules.find((each) => each.name.test(name));
    return rule ? [`${name}${where} must not be set: ${rule.why}. Remove it.`] : [];
  });
  const inspectorProblem = describeInspector(started, isProduction);
  if (inspectorProblem && problems.length === 0) problems.push(inspectorProblem);
  if (problems.length > 0) throw new ConfigError([...new Set(problems)].join('\n'));
}

/** It may have been opened by a signal during the start or by a configuration file of Node. */
function describeInspector(started: StartedWith, isProduction: boolean): string | undefined {
  const { inspectorUrl } = started;
  if (inspectorUrl === undefined) return undefined;
  const url = URL.parse(inspectorUrl);
  if (url && isLoopback(url) && !isProduction) return undefined;
  return `Node's inspector listens at ${url?.hostname ?? ''}: an inspector reads every token. Start without it${isProduction ? '' : ', or at 127.0.0.1'}.`;
}

/** The unsafe options and variables, and where they are set. */
function namesOf({ execArgv, environment }: StartedWith): { name: string; where: string }[] {
  const fromEnvironment = splitOptions(environment.NODE_OPTIONS ?? '');
  return [
    ...execArgv.map((text) => ({ name: nameOf(text), where: '' })),
    ...fromEnvironment.map((text) => ({ name: nameOf(text), where: ' (in NODE_OPTIONS)' })),
    ...Object.entries(environment).flatMap(([name, value]) => (value ? [{ name, where: '' }] : [])),
  ];
}

/** Node reads `--a_b` as `--a-b`. */
function nameOf(text: string): string {
  const [name = ''] = text.split('=', 1);
  return name.startsWith('--') ? name.replaceAll('_', '-') : name;
}

/** Splits like Node: at spaces outside of double quotes. */
function splitOptions(text: string): string[] {
  const parts = text.match(/(?:[^\s"]|"(?:\\.|[^"\\])*")+/g) ?? [];
  return parts.map((part) => part.replaceAll('"', ''));
}

/**
 * Keeps SIGUSR1 from opening an inspector in production: with our listener, Node installs none of its
 * own. {@link assertSafeStart} finds an inspector that a signal opened before this call.
 *
 * @param tell called for each such signal.
 */
export function ignoreInspectorSignal(tell: () => void): void {
  if (process.env.NODE_ENV === 'production') process.on('SIGUSR1', tell);
}

export function readStart(): StartedWith {
  const { execArgv, env } = process;
  return { execArgv, environment: env, inspectorUrl: inspector.url() };
}
