/** The doctor: examines the back end of a plug-in, in any language, by being its platform. */
export type { Browser, BrowserPage } from './browser.ts';
export type { CallModule, PageContext, SendMessage } from './call/caller.ts';
export { createOperationCall } from './call/operation-call.ts';
export { parseCall } from './call/parse-call.ts';
export type { Check, Need, Severity, Verdict } from './check.ts';
export { checks } from './checks/all-checks.ts';
export { describeCheck } from './describe-check.ts';
export { DoctorError, type DoctorErrorCode } from './doctor-error.ts';
export { type KnownFindings, markKnown, parseKnown } from './known.ts';
export { isLoopback } from './own-target.ts';
export { formatJunit } from './report/format-junit.ts';
export { formatText, type TextOptions } from './report/format-text.ts';
export { plain } from './report/plain.ts';
export { type CheckResult, exitCodeOf, type Report, reportSchema } from './report/report.ts';
export { type DoctorOptions, runDoctor } from './run-doctor.ts';
