import { Code } from '@mantine/core';
import { explainReason } from './reasons.ts';

/** The machine's word, to search for, and what it means, when that is known. */
export function ReasonText({ reason }: { reason: string }) {
  const sentence = explainReason(reason);
  return (
    <>
      <Code className="breakable">{reason}</Code>
      {sentence ? <span> {sentence}</span> : null}
    </>
  );
}
