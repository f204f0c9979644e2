/**
 * Detects whether a person uses the page. A person's requests extend the session; the page's own
 * requests do not. A press, a key or a turn of the wheel counts for a minute.
 */

const activeMs = 60_000;
const signs = ['pointerdown', 'keydown', 'wheel'];

/** @returns a function: whether a person was active in the last minute. Opening the page counts. */
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
