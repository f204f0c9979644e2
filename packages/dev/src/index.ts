/** Development of a plug-in: the emulated platform with its pages. */
export { EmulatorError, runEmulator } from './platform/run-emulator.ts';
export {
  type RunningPlatform,
  type StartPlatformOptions,
  startPlatform,
} from './platform/start-platform.ts';
