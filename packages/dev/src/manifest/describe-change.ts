/** What an update of an installation does with a changed manifest, and what it cannot do (Spec §3). */
import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '@dowel/schema';

const installAgain = 'Press i to install again.';

/** Returns one line for each change that an author may wonder about, at least one. */
export function describeChange(before: Manifest, after: Manifest): string[] {
  const lines = [
    ...describeAccess(before.apiAccess, after.apiAccess),
    ...(isDeepStrictEqual(before.lifecycle, after.lifecycle)
      ? []
      : [
          `lifecycle has changed: later events follow it, and install is not sent again. ${installAgain}`,
        ]),
    ...describeEntryPoints(before, after),
  ];
  return lines.length > 0 ? lines : ['The manifest has changed: the installation is updated.'];
}

function describeAccess(before: Manifest['apiAccess'], after: Manifest['apiAccess']): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!before) return ['apiAccess is new: the update sends access_token.'];
  if (!after) return ['apiAccess is gone: access has ended.'];
  return [`apiAccess has changed: the installation keeps its old grant. ${installAgain}`];
}

function describeEntryPoints(before: Manifest, after: Manifest): string[] {
  const idsOf = ({ entryPoints }: Manifest) => entryPoints.map(({ id }) => id);
  const added = idsOf(after).filter((id) => !idsOf(before).includes(id));
  const removed = idsOf(before).filter((id) => !idsOf(after).includes(id));
  return [
    ...added.map((id) => `The entry point ${id} is new: it is placed.`),
    ...removed.map(
      (id) => `The entry point ${id} is gone: its widget has no page. Remove the widget.`,
    ),
  ];
}
