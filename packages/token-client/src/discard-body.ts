/** Gives the connection of an answer free. The status counts, also when the body has broken off meanwhile. */
export async function discardBody({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => {});
}
