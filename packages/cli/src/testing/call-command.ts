import { join } from 'node:path';
import { runCommandLine } from '../run-command-line.ts';
import type { CliOutcome } from './run-cli.ts';

export interface CommandCall {
  args: readonly string[];
  /** The data folder, which also holds `.env`. */
  folder: string;
  /** Further settings. */
  settings?: Record<string, string>;
}

/** Runs the command line in this process, and returns output and exit code. */
export async function callCommand(call: CommandCall): Promise<CliOutcome> {
  const { args, folder, settings = {} } = call;
  const outcome = { out: '', err: '' };
  const code = await runCommandLine({
    args,
    environment: { DOWEL_DATA_DIR: folder, ...settings },
    envPath: join(folder, '.env'),
    say: (line) => {
      outcome.out += `${line}\n`;
    },
    warn: (line) => {
      outcome.err += `${line}\n`;
    },
  });
  return { code, ...outcome };
}
