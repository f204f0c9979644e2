import type { DevLine } from '../dev-line.ts';

/** Members of a line that say nothing at a terminal. */
const unsaid = ['level', 'time', 'msg', 'message', 'pid', 'hostname', 'app', 'name'];

const foreignCall = /\n\s+at [^\n]*(?:node_modules|\bnode:)[^\n]*/g;

/** Returns what a back end printed: a JSON line as `message field=value`, with its error below; any other line as it is. */
export function describeLogLine(line: string): { level: DevLine['level']; text: string } {
  const record = parseRecord(line);
  if (!record) return { level: 'info', text: line };
  const said = Object.entries(record).filter(([name]) => !unsaid.includes(name));
  const fields = said
    .filter(([, value]) => describeError(value) === undefined)
    .map(([name, value]) => `${name}=${textOf(value)}`);
  const errors = said.map(([, value]) => describeError(value)).filter((each) => each !== undefined);
  const message = record.msg ?? record.message ?? '';
  const first = [message, ...fields].join(' ').trim();
  return { level: levelOf(record.level), text: [first, ...errors].join('\n') };
}

/** Returns an error as pino writes it: its stack without the calls of packages and of Node. Undefined for other values. */
function describeError(value: unknown): string | undefined {
  const { type, code, message, stack } = Object(value) as Record<string, unknown>;
  if (typeof message !== 'string') return undefined;
  if (typeof stack === 'string') return stack.replaceAll(foreignCall, '');
  return [code ?? type, message].filter(Boolean).join(': ');
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Pino's numbers, or words. */
function levelOf(level: unknown): DevLine['level'] {
  if (level === 'error' || level === 'fatal' || Number(level) >= 50) return 'error';
  return level === 'warn' || level === 'warning' || Number(level) >= 40 ? 'warn' : 'info';
}
