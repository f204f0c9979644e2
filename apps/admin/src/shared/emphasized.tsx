/** A text with `<b>…</b>` around its strong words, and no other markup. */
export function Emphasized({ text }: { text: string }) {
  return text
    .split(/<b>(.*?)<\/b>/)
    .map((part, index) => (index % 2 === 1 ? <strong key={part}>{part}</strong> : part));
}
