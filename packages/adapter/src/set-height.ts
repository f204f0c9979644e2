import { type AdapterContext, post } from './adapter-context.ts';

/**
 * Requests a height in CSS pixels from the host. A request before the handshake is sent after it.
 *
 * @returns whether the height is new
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

/** Sends the last requested height, if there is one. */
export function sendHeight(context: AdapterContext): void {
  const { heightPx } = context;
  if (heightPx !== undefined) post(context, { sub: 'setHeight', height: heightPx });
}
