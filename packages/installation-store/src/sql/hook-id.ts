/** The id of a hook delivery, made of its key. So no index is needed to find it, and none is changed by each event. */

export interface HookPlace {
  installationId: string;
  sequence: number;
}

export function hookIdOf({ installationId, sequence }: HookPlace): string {
  return `${installationId}-${sequence}`;
}

/** Undefined for what is no id. */
export function placeOfId(id: string): HookPlace | undefined {
  const [, installationId, sequence] = /^(.+)-([1-9]\d{0,8})$/.exec(id) ?? [];
  if (installationId === undefined) return undefined;
  return { installationId, sequence: Number(sequence) };
}
