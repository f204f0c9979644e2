/** The texts of `--help` and of a wrong call. */
import type { Command } from './command.ts';

export type NamedCommand = readonly [name: string, command: Command];

/** An example value of each option. */
const examples: Readonly<Record<string, string>> = {
  reason: '"…"',
  name: '"…"',
  notes: '"…"',
  until: '2027-01-31',
  hook: 'HOOK-ID',
  user: 'USER-ID',
  tenant: 'TENANT-ID',
  since: '2027-01-31',
  who: 'NAME',
  action: 'ACTION',
  installation: 'ID',
  limit: '50',
  group: 'broken',
  state: 'STATE',
  cause: 'CAUSE',
  plugin: 'PLUGIN-ID',
  scope: 'SCOPE',
  search: '"…"',
  sort: 'host',
  direction: 'desc',
  after: 'NEXT',
  url: 'PUBLIC-URL',
  format: 'text|json|github',
  event: 'access_token',
  outcome: 'refused',
  order: 'oldest',
};

export const seeAllCommands = 'Run "dowel --help" for all commands.';

/** @param acting the commands that act on one installation. */
export function describeAll(own: readonly NamedCommand[], acting: readonly NamedCommand[]): string {
  return `Usage: dowel <command>

${listCommands(own)}

On one installation, each with --reason "…" for the audit:
${listCommands(acting)}

For the development of a plug-in, with @dowel/dev:
  dev                      the emulated platform, your back end and your page with hot updates
  emulator                 only the emulated platform
  send EVENT               the platform sends an event; the answer is printed
  fault NAME               the platform's next requests go wrong
  doctor MANIFEST-URL      examines a back end in any language

"dowel <command> --help" shows one command with its options, "dowel --version" the version.

Settings: DOWEL_DATA_DIR, DOWEL_KEY_FILE, DOWEL_DATABASE_URL, and DOWEL_PUBLIC_URL if the back end has another address
here, from the environment, or from .env of the working folder.
Exit code: 0 done, 1 refused or not all done, 2 no such command or option, or a wrong argument.`;
}

/** @param group the commands that begin with the same word. */
export function describeGroup(group: readonly NamedCommand[]): string {
  return `Usage: dowel <command>\n\n${listCommands(group)}\n\n${seeAllCommands}`;
}

export function describeCommand([
  name,
  { summary, takes = [], options = [], flags = [], hasJson = false },
]: NamedCommand): string {
  const given = [
    ...options.map((option) => `--${option} ${examples[option] ?? '…'}`),
    ...flags.map((flag) => `--${flag}`),
  ];
  if (hasJson) given.push('--json');
  return `Usage: ${['dowel', name, ...takes, ...given].join(' ')}\n\n  ${summary}\n\n${seeAllCommands}`;
}

function listCommands(listed: readonly NamedCommand[]): string {
  return listed
    .map(
      ([name, { summary, takes = [] }]) => `  ${[name, ...takes].join(' ').padEnd(24)} ${summary}`,
    )
    .join('\n');
}
