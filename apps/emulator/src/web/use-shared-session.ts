import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from './control-queries.ts';

/**
 * All windows of a browser share the cookie, so a sign-in or sign-out in one is that of each. A window that still showed
 * the person before would act as the other one.
 *
 * @param userId of the person whom this window shows; null when nobody is signed in, undefined while it is not known.
 */
export function useSharedSession(userId: string | null | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (userId === undefined) return undefined;
    const channel = new BroadcastChannel('dowel-session');
    channel.onmessage = ({ data }: MessageEvent<string | null>) => {
      if (data !== userId) void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    };
    channel.postMessage(userId);
    return () => channel.close();
  }, [client, userId]);
}
