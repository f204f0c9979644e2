/**
 * Whether a person is at the page: their requests keep the session, those that an open page makes by
 * itself do not. A press, a key or a turn of the wheel counts for a minute.
 */

const activeMs = 60_000;
const signs = ['pointerdown', 'keydown', 'wheel'];

/** @returns whether somebody was there in the last minute; a page that has just been opened counts. */
export function watchPerson(
  target: Pick<EventTarget, 'addEventListener'>,
  now: () => number,
): () => boolean {
  let lastSeenAt = now();
  const notice = () => {
    lastSeenAt = now();
  };
  for (const sign of signs) target.addEventListener(sign, notice, { passive: true, capture: true });
  return () => now() - lastSeenAt < activeMs;
}
