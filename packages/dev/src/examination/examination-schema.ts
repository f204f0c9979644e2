/** A run of the doctor, as the emulator's pages see it: routes of the control API that only this package has. */
import { z } from 'zod';

const findingSchema = z.object({
  /** Of the check. */
  id: z.string(),
  claim: z.string(),
  /** `fail`: a must. `warn`: a should. `open`: nothing can be said. `error`: a defect of the doctor. */
  verdict: z.enum(['fail', 'warn', 'open', 'error']),
  saw: z.string(),
  why: z.string(),
  seen: z.string(),
  fix: z.string(),
  reference: z.string(),
});

/** `GET` and `POST /control/plugins/:pluginId/examination`. The texts of checks are in English. */
export const examinationSchema = z.object({
  isRunning: z.boolean(),
  /** Checks that have a verdict, of all. */
  done: z.number(),
  total: z.number(),
  passed: z.number(),
  blocked: z.number(),
  /** Why nothing, or not everything, was judged. Null: everything was. */
  problem: z.string().nullable(),
  findings: z.array(findingSchema),
  /** Options of the command, without which some checks are skipped. */
  notAsked: z.array(z.string()),
  /** Examines the same back end in a terminal. */
  command: z.string(),
});

export type Finding = z.infer<typeof findingSchema>;
export type Examination = z.infer<typeof examinationSchema>;
