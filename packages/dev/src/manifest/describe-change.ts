/** What `dowel dev` says of a change that an update brings to the installation (Spec §3). */
import type { ManifestChange } from '@dowel/emulator';

const installAgain = 'Press i to install again.';

/** Returns one line. */
export function describeChange({ kind, entryPoint }: ManifestChange): string {
  switch (kind) {
    case 'accessAdded':
      return 'apiAccess is new: the update sends access_token.';
    case 'accessRemoved':
      return 'apiAccess is gone: the update sends nothing, and access has ended.';
    case 'accessChanged':
      return `apiAccess has changed: the update sends nothing, and the installation keeps its old grant. ${installAgain}`;
    case 'lifecycleChanged':
      return `lifecycle has changed: later events follow it, and install is not sent again. ${installAgain}`;
    case 'entryPointAdded':
      return `The entry point ${entryPoint?.id} is new: it is placed.`;
    case 'entryPointRemoved':
      return `The entry point ${entryPoint?.id} is gone: its widget has no page. Remove the widget.`;
    case 'othersChanged':
      return 'The manifest has changed: the installation is updated.';
  }
}
