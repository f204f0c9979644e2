import type { ExchangeSummary } from '@dowel/emulator/control-api';

/**
 * How a request ended. `noAnswer`: it failed without one. `unanswered`: the platform waits, or gave no answer because of
 * a fault.
 */
export function resultOf({ kind, status, error }: ExchangeSummary) {
  if (status === null) return error === null ? 'unanswered' : 'noAnswer';
  if (error !== null) return error.code === 'INVALID_RESPONSE' ? 'notJson' : 'refused';
  if (kind === 'event') return 'accepted';
  return kind === 'code' || kind === 'refresh' ? 'issued' : 'answered';
}
