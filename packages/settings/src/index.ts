/** `.env`, and the messages for wrong names of settings, files and folders. */
export { readEnvironment, withoutEmpty } from './env-file.ts';
export { describeFileError } from './file-error.ts';
export { makeFolder } from './make-folder.ts';
export { otherVariables } from './other-variables.ts';
export { parsePort } from './parse-port.ts';
export { readSecretFiles } from './secret-files.ts';
export { describeUnknownSettings, type Environment } from './unknown-settings.ts';
