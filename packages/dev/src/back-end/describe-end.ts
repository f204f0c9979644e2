/** Why a back end ended, in words. */
import type { ChildProcess } from 'node:child_process';
import { pathToFileURL } from 'node:url';

export function describeSpawnError(file: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `there is no program ${file}`;
  return code === 'EACCES' ? `${file} is no program that you may run` : message;
}

export function describeEnd({
  child: { exitCode, signalCode, pid },
  port,
  errors,
}: {
  child: ChildProcess;
  port: number;
  errors: readonly string[];
}): string {
  if (pid === undefined) return `The back end could not be started: ${errors.at(-1)}.`;
  if (signalCode) return `The back end ended by ${signalCode}.`;
  const how = `The back end ended with code ${exitCode}.`;
  return exitCode === 0 ? `${how} It must go on and listen at PORT, which is ${port}.` : how;
}

/** In the words of Node, Python, Java, Go and Ruby. */
export function isPortTaken(errors: readonly string[]): boolean {
  return errors.some((line) => /EADDRINUSE|address already in use/i.test(line));
}

/** Returns the first line of a stack in the author's own files, as Node and Python write it. '' if there is none. */
export function findPlace(errors: readonly string[], root: string): string {
  const names = [root, pathToFileURL(root).href];
  const place = errors.find(
    (line) =>
      /^\s+(?:at|File) /.test(line) &&
      names.some((name) => line.includes(name)) &&
      !line.includes('node_modules'),
  );
  return place?.trim() ?? '';
}
