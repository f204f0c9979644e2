/** The BFF's API for the iframe: sessions and the platform calls it makes on the user's behalf. */
import { z } from 'zod';
import { identifier } from './claims.ts';

/** Every failed answer of the BFF's APIs. `code` is UPPER_SNAKE and listed in docs/errors.md. */
export const apiErrorSchema = z.object({ code: z.string(), message: z.string() });

/** `POST /api/session` */
export const sessionRequestSchema = z.strictObject({
  initJwt: z.string().min(1).max(16_384),
  /** The `src` query parameter of the plug-in's page, from which the back end finds the placed widget. */
  instanceId: identifier(256),
});

const sessionResponseSchema = z.object({
  /** Opaque bearer. Keep it in memory only. */
  sessionToken: z.string(),
  /** Epoch milliseconds. */
  expiresAt: z.int().nonnegative(),
});

/** `POST /api/session/nonce` */
export const sessionNonceSchema = z.object({
  /** The `jti` for the next handshake. */
  nonce: z.string().max(256),
  /** How long a session can be opened with it. */
  expiresInMs: z.int().positive(),
});

const maxTextLength = 1000;
/** More languages than any platform has. */
const maxLanguages = 50;
const message = z.string().min(1).max(maxTextLength);
const excerpt = z.string().max(maxTextLength);

/** The same text by language (ISO 639, lower case): each entry has the limits of the single text. */
const byLanguage = (text: z.ZodString) =>
  z.record(z.string().regex(/^[a-z]{2,3}$/), text).superRefine((texts, context) => {
    const count = Object.keys(texts).length;
    if (count >= 1 && count <= maxLanguages) return;
    context.addIssue({ code: 'custom', message: `Give 1 to ${maxLanguages} languages` });
  });

/**
 * `POST /api/createNotification`, and the platform's createNotification: exactly one recipient, exactly
 * one of `message` and `messages`, at most one of `excerpt` and `excerpts`.
 */
export const notificationSchema = z
  .strictObject({
    recipientEmail: z.email().max(320).optional(),
    recipientId: z.string().min(1).max(256).optional(),
    message: message.optional(),
    messages: byLanguage(message).optional(),
    excerpt: excerpt.optional(),
    excerpts: byLanguage(excerpt).optional(),
    category: z.string().min(1).max(64).default('ACTIVITY'),
  })
  .refine((n) => (n.recipientEmail === undefined) !== (n.recipientId === undefined), {
    message: 'Give exactly one of recipientEmail and recipientId',
    path: ['recipientEmail'],
  })
  .refine((n) => (n.message === undefined) !== (n.messages === undefined), {
    message: 'Give exactly one of message and messages',
    path: ['message'],
  })
  .refine((n) => n.excerpt === undefined || n.excerpts === undefined, {
    message: 'Give at most one of excerpt and excerpts',
    path: ['excerpt'],
  });

export type ApiError = z.infer<typeof apiErrorSchema>;
export type SessionRequest = z.infer<typeof sessionRequestSchema>;
export type SessionResponse = z.infer<typeof sessionResponseSchema>;
export type Notification = z.output<typeof notificationSchema>;
export type NotificationRequest = z.input<typeof notificationSchema>;
