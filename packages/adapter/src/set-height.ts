import { type AdapterContext, post } from './adapter-context.ts';

/**
 * Asks the host for a height in CSS pixels; before the handshake, after it.
 *
 * @returns whether that is a new height
 */
export function setHeight(context: AdapterContext, heightPx: number): boolean {
  const height = Math.ceil(heightPx);
  const isNew = height >= 0 && height < Infinity && height !== context.heightPx;
  if (isNew) {
    context.heightPx = height;
    sendHeight(context);
  }
  return isNew;
}

/** Sends what was asked for last, if anything was. */
export function sendHeight(context: AdapterContext): void {
  const { heightPx } = context;
  if (heightPx !== undefined) post(context, { sub: 'setHeight', height: heightPx });
}
