/**
 * The id of one life of an installation, made of its key. It is never given to another life: after its record is
 * deleted, the installation's next install has another id.
 */
export function lifeIdOf({ id, generation }: { id: string; generation: number }): string {
  return `${id}.${generation}`;
}
