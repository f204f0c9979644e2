import type { Output } from '../print-usage.ts';

type Run = (args: readonly string[], context: Output & { root: string }) => Promise<number>;

/** Runs a command that ends at once, and returns its exit code and lines. @param root Default: a folder that does not exist */
export async function callCommand(run: Run, args: readonly string[], root = '/nowhere') {
  const out: string[] = [];
  const err: string[] = [];
  const say = (line: string) => void out.push(`${line}\n`);
  const warn = (line: string) => void err.push(`${line}\n`);
  const code = await run(args, { root, say, warn });
  return { code, out: out.join(''), err: err.join('') };
}
