/** The names of all settings, `.env`, and the messages for wrong names, files and folders. */
export { readEnvironment, withoutEmpty } from './env-file.ts';
export { describeFileError } from './file-error.ts';
export { makeFolder } from './make-folder.ts';
export {
  type BackEndSetting,
  backEndSettings,
  type EmulatorSetting,
  emulatorSettings,
  otherVariables,
  type StoreSetting,
  storeSettings,
} from './names.ts';
export { parsePort } from './parse-port.ts';
export { readSecretFiles } from './secret-files.ts';
export { describeUnknownSettings, type Environment } from './unknown-settings.ts';
