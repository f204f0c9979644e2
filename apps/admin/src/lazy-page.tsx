/** Pages whose code is loaded when they are first opened, or soon after the start. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { ApiFailure } from './api/api-failure.ts';
import { PageFailure } from './shell/page-failure.tsx';

/**
 * Returns the part of a route that loads and shows the page. A load that failed is tried again with the next visit: the
 * router's own lazy component would load the whole dashboard again, which fails as well while Dowel is away.
 */
export function lazyPage<Name extends string>(
  importPage: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  let Page: ComponentType | undefined;
  async function load(): Promise<void> {
    Page ??= await importPage().then(
      (module) => module[name],
      (cause: unknown) => {
        throw new ApiFailure('UNREACHABLE', 0, 'The page cannot be loaded', { cause });
      },
    );
  }
  return {
    loader: load,
    component: () => (Page ? <Page /> : null),
    errorComponent: ({ error }: ErrorComponentProps) => <PageFailure error={error} load={load} />,
  };
}
