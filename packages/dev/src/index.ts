/** Development of a plug-in: the emulated platform with its pages, and `dowel dev`. */

export { DevError } from './dev-error.ts';
export type { DevLine } from './dev-line.ts';
export type { DevAction } from './follow-changes.ts';
export { EmulatorError, runEmulator } from './platform/run-emulator.ts';
export {
  type RunningPlatform,
  type StartPlatformOptions,
  startPlatform,
} from './platform/start-platform.ts';
export { runDevCommand } from './run-dev-command.ts';
export { type RunningDev, type StartDevOptions, startDev } from './start-dev.ts';
