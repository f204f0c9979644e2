import { explainReason } from '@dowel/schema';
import { ReasonCode } from './reason-code.tsx';

/** The reason code, and its meaning if known. */
export function ReasonText({ reason }: { reason: string }) {
  const sentence = explainReason(reason)?.sentence;
  return (
    <>
      <ReasonCode reason={reason} />
      {sentence ? <span> {sentence}</span> : null}
    </>
  );
}
