/** Pages whose code is loaded when they are first opened, or soon after the start. */
import type { ComponentType } from 'react';
import { ApiFailure } from './api/api-failure.ts';

/**
 * Returns the part of a route that loads and shows the page. A load that failed is tried again with the next visit: the
 * router's own lazy component would load the whole dashboard again, which fails as well while Dowel is away.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  let Page: ComponentType | undefined;
  return {
    async loader(): Promise<void> {
      Page ??= await load().then(
        (module) => module[name],
        (cause: unknown) => {
          throw new ApiFailure('UNREACHABLE', 0, 'The page cannot be loaded', { cause });
        },
      );
    },
    component: () => (Page ? <Page /> : null),
  };
}
