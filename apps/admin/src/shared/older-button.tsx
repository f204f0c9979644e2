import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export interface OlderButtonProps {
  /** Of an infinite query, the newest entries first. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Loads the next page of a list that begins with the newest; nothing when all are shown. */
export function OlderButton({ query }: OlderButtonProps) {
  const { t } = useTranslation();
  if (!query.hasNextPage) return null;
  return (
    <Button
      variant="default"
      size="xs"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {t('shell.older')}
    </Button>
  );
}
