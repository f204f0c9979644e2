/**
 * What the history keeps of an event, beside its answer: it contains no secret, and no name that somebody else
 * chose.
 */
import { z } from 'zod';
import { refusalSchema } from './lifecycle-events.ts';

/**
 * A member that the schemas do not know, or that is spelled otherwise than they say (normalize-event.ts). Its name and value
 * may be secrets, so only place and type are kept.
 */
export const unknownMemberSchema = z.object({
  /** RFC 6901, with `?` for the unknown name and `*` for the index of an array. */
  pointer: z.string(),
  /** Its JSON type, or how it is spelled. */
  type: z.string(),
});

export const eventDetailSchema = z.object({
  /** As in the log and in the answer's header X-Request-Id. */
  requestId: z.string().optional(),
  /** The signed claims, without secrets and without those that are the same in all events of one installation. */
  claims: z.object({
    /** Seconds since the epoch. */
    iat: z.number(),
    /** Seconds since the epoch. */
    exp: z.number(),
    jti: z.string().optional(),
    instanceId: z.string().optional(),
    /** Without user name, password, query and fragment. Left out if it is not an http(s) URL. */
    base_url: z.string().optional(),
  }),
  /** The body of a refusal. Left out: the event was accepted. */
  answer: refusalSchema.optional(),
  /** Left out: the schemas know every member. */
  unknown: z.array(unknownMemberSchema).optional(),
});

export type UnknownMember = z.infer<typeof unknownMemberSchema>;
export type EventDetail = z.infer<typeof eventDetailSchema>;
