import { type AdapterContext, type PostContext, post } from './adapter-context.ts';

/** The part of an adapter's state that holds the height. */
export type HeightContext = PostContext & Pick<AdapterContext, 'heightPx'>;

/**
 * Requests a height in CSS pixels from the host. A request before the handshake is sent after it.
 *
 * @returns whether the height is new
 */
export function setHeight(context: HeightContext, heightPx: number): boolean {
  const height = Math.ceil(heightPx);
  const isNew = height >= 0 && height < Infinity && height !== context.heightPx;
  if (isNew) {
    context.heightPx = height;
    sendHeight(context);
  }
  return isNew;
}

/** Sends the last requested height, if there is one. */
export function sendHeight(context: HeightContext): void {
  const { heightPx } = context;
  if (heightPx !== undefined) post(context, { sub: 'setHeight', height: heightPx });
}
