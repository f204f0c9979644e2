const shownLength = 16;

/** The beginning of a fingerprint; all of it on hover. */
export function Fingerprint({ text }: { text: string }) {
  return <code title={text}>{text.slice(0, shownLength)}…</code>;
}
