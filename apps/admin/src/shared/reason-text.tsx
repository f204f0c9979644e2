import { explainReason } from '@dowel/schema';
import { ReasonCode } from './reason-code.tsx';

/** The machine's word, to search for, and what it means, when that is known. */
export function ReasonText({ reason }: { reason: string }) {
  const sentence = explainReason(reason)?.sentence;
  return (
    <>
      <ReasonCode reason={reason} />
      {sentence ? <span> {sentence}</span> : null}
    </>
  );
}
