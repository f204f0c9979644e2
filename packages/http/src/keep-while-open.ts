import type { ServerResponse } from 'node:http';

/**
 * Keeps an answer in the list until it has ended or its client has left. Then it calls `onClosed`.
 *
 * It is no `Set` on purpose. A set replaces its table after some entries, and the old table points to the new one. The
 * garbage collector rarely looks at old objects, so one old table keeps all later ones, and each keeps the requests that
 * were in it.
 */
export function keepWhileOpen(
  answers: ServerResponse[],
  response: ServerResponse,
  onClosed?: () => void,
): void {
  answers.push(response);
  response.once('close', () => {
    // Streams that stay open for long are at the beginning.
    answers.splice(answers.lastIndexOf(response), 1);
    onClosed?.();
  });
}
