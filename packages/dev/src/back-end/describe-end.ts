/** Why a back end ended, in words. */
import type { ChildProcess } from 'node:child_process';
import { sep } from 'node:path';
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

/** Returns the author's line that failed, such as `server/main.ts:3:7`, as Node and Python write it. '' if there is none. */
export function findPlace(errors: readonly string[], root: string): string {
  const own = errors.filter((line) => !line.includes('node_modules'));
  // Node's first line is the newest call, Python's last one. Above an error of syntax, Node writes only the file.
  const place =
    own.find((line) => /^\s+at /.test(line) && placeIn(line, root)) ??
    own.findLast((line) => /^\s+File /.test(line) && placeIn(line, root)) ??
    own.find((line) => /^\S+:\d+$/.test(line) && placeIn(line, root));
  return place === undefined ? '' : placeIn(place, root);
}

function placeIn(line: string, root: string): string {
  const folders = [`${pathToFileURL(root).href}/`, root + sep];
  const folder = folders.find((each) => line.includes(each));
  if (folder === undefined) return '';
  const rest = line.slice(line.indexOf(folder) + folder.length);
  const [, file = '', place = ''] = /^(.*?)(?:", line |:)(\d+(?::\d+)?)/.exec(rest) ?? [];
  return file && `${file}:${place}`;
}
