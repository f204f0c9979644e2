/** `--call`: an operation of a back end of Dowel, a module of the author, or a request. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CallModule, createOperationCall, DoctorError, parseCall } from '@dowel/conformance';

/** @param root the folder that paths begin in. @throws DoctorError `OPTION_INVALID` */
export async function loadCall(text: string, root: string): Promise<CallModule> {
  const [, operation] = /^dowel:(\w+)$/.exec(text) ?? [];
  if (operation !== undefined) return createOperationCall(operation);
  return /^\.{0,2}\//.test(text) ? importCall(resolve(root, text)) : parseCall(text);
}

async function importCall(path: string): Promise<CallModule> {
  const loaded = (await import(pathToFileURL(path).href).catch((error: Error) => {
    throw invalid(error.message);
  })) as Partial<CallModule>;
  const { prepare } = loaded;
  if (typeof prepare !== 'function') throw invalid(`${path} exports no function prepare.`);
  return { prepare: (page) => prepare(page) };
}

function invalid(problem: string): DoctorError {
  return new DoctorError('OPTION_INVALID', `--call is wrong. ${problem}`);
}
