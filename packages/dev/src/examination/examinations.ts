/** Runs of the doctor on the emulator's own server, one at a time. The newest one is kept. */
import {
  type CheckResult,
  checks,
  DoctorError,
  type DoctorOptions,
  runDoctor,
} from '@dowel/conformance';
import { PlatformError } from '@dowel/emulator';
import type { Examination, Finding } from './examination-schema.ts';

interface Patient {
  tenantId: string;
  pluginId: string;
  manifestUrl: string;
}

export interface Examinations {
  /** @throws PlatformError `EXAMINATION_IN_PROGRESS` */
  start(patient: Patient): Examination;
  /** The newest run, if it is one of this installation. */
  find(key: Pick<Patient, 'tenantId' | 'pluginId'>): Examination | undefined;
  /** Answers a request of the run. False: it is none. */
  answer: Answer;
  /** Ends the run. What it has installed is uninstalled. */
  close(): Promise<void>;
}

type Mount = NonNullable<DoctorOptions['mount']>;
type Answer = Parameters<Mount>[0];

interface ExaminationsOptions extends Pick<DoctorOptions, 'keyBits'> {
  origin: string;
  /** Receives defects of the doctor. */
  onError(error: unknown): void;
}

interface Run {
  patient: Patient;
  results: CheckResult[];
  problem: string | null;
  isRunning: boolean;
  ended: Promise<void>;
}

const defaultOrigin = 'http://localhost:4300';

export function createExaminations(options: ExaminationsOptions): Examinations {
  const { origin } = options;
  const closing = new AbortController();
  let newest: Run | undefined;
  let answer: Answer | undefined;
  const mount: Mount = (mounted) => {
    answer = mounted;
    return () => {
      answer = undefined;
    };
  };
  return {
    start(patient) {
      if (newest?.isRunning) {
        throw new PlatformError('EXAMINATION_IN_PROGRESS', 'Another back end is being examined');
      }
      newest = begin(patient, { ...options, mount, signal: closing.signal });
      return view(newest, origin);
    },
    find({ tenantId, pluginId }) {
      const { patient } = newest ?? {};
      const isOf = patient?.tenantId === tenantId && patient.pluginId === pluginId;
      return newest && isOf ? view(newest, origin) : undefined;
    },
    answer: (request, response) => answer?.(request, response) ?? false,
    async close() {
      closing.abort();
      await newest?.ended;
    },
  };
}

function begin(
  patient: Patient,
  { onError, ...options }: ExaminationsOptions & { mount: Mount; signal: AbortSignal },
): Run {
  const results: CheckResult[] = [];
  const onResult = (result: CheckResult) => void results.push(result);
  const run: Run = { patient, results, problem: null, isRunning: true, ended: Promise.resolve() };
  run.ended = runDoctor(patient.manifestUrl, { ...options, onResult })
    .then(
      (report) => {
        // In the order of the checks.
        run.results = report.results;
        run.problem = report.interrupted ?? report.control;
      },
      (error: Error) => {
        run.problem = error.message;
        if (!(error instanceof DoctorError)) onError(error);
      },
    )
    .finally(() => {
      run.isRunning = false;
    });
  return run;
}

function view({ patient, results, problem, isRunning }: Run, origin: string): Examination {
  const count = (wanted: CheckResult['verdict']) =>
    results.filter(({ verdict }) => verdict === wanted).length;
  const missing = results.flatMap((result) => result.missing);
  const options = new Set(missing.filter((need) => need !== 'apiAccess'));
  const ownOrigin = origin === defaultOrigin ? '' : ` --origin ${origin}`;
  return {
    isRunning,
    done: results.length,
    total: checks.length,
    passed: count('pass'),
    blocked: count('blocked'),
    problem,
    findings: results.flatMap(toFinding),
    notAsked: [...options].map((option) => `--${option}`),
    command: `dowel doctor ${patient.manifestUrl}${ownOrigin}`,
  };
}

function toFinding({ id, claim, verdict, note, fix, reference }: CheckResult): Finding[] {
  if (verdict === 'pass' || verdict === 'skipped' || verdict === 'blocked') return [];
  const { why = '', seen = '' } = checks.find((check) => check.id === id) ?? {};
  return [{ id, claim, verdict, saw: note, why, seen, fix, reference }];
}
