import type { DevLine } from '../dev-line.ts';

/** Members of a line that say nothing at a terminal. */
const unsaid = ['level', 'time', 'msg', 'message', 'pid', 'hostname', 'app', 'name'];

/** Returns what a back end printed: a JSON line as `message field=value`, any other line as it is. */
export function describeLogLine(line: string): { level: DevLine['level']; text: string } {
  const record = parseRecord(line);
  if (!record) return { level: 'info', text: line };
  const fields = Object.entries(record)
    .filter(([name]) => !unsaid.includes(name))
    .map(([name, value]) => `${name}=${textOf(value)}`);
  const message = record.msg ?? record.message ?? '';
  return { level: levelOf(record.level), text: [message, ...fields].join(' ').trim() };
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
