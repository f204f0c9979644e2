/** Every failed answer is JSON: `{ code, message }`, with the deliveries when an installation failed. */
import type { Context, Next } from 'koa';
import { failureSchema } from './control-api.ts';
import { InstallationFailedError, PlatformError } from './errors.ts';

export function answerErrors() {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      refuseUnrouted(ctx);
    } catch (error) {
      if (!(error instanceof PlatformError)) {
        ctx.app.emit('error', error, ctx);
        ctx.status = 500;
        ctx.body = { code: 'INTERNAL', message: 'The emulator failed' };
        return;
      }
      const { code, message, status } = error;
      ctx.status = status;
      ctx.body =
        error instanceof InstallationFailedError
          ? failureSchema.parse({ code, message, deliveries: error.deliveries })
          : { code, message };
    }
  };
}

/** Gives a body to the statuses that the router's `allowedMethods` sets. */
function refuseUnrouted(ctx: Context): void {
  if (ctx.body !== undefined || ctx.status < 400) return;
  if (ctx.status === 404) throw new PlatformError('NOT_FOUND', 'Nothing is here');
  throw new PlatformError('METHOD_NOT_ALLOWED', 'This method is not allowed here');
}
