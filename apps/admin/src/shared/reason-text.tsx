import { ReasonCode } from './reason-code.tsx';
import { explainReason } from './reasons.ts';

/** The machine's word, to search for, and what it means, when that is known. */
export function ReasonText({ reason }: { reason: string }) {
  const sentence = explainReason(reason);
  return (
    <>
      <ReasonCode reason={reason} />
      {sentence ? <span> {sentence}</span> : null}
    </>
  );
}
