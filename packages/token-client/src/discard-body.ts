/** Frees the connection of an answer whose body is not needed. Errors of the body are ignored. */
export async function discardBody({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => {});
}
