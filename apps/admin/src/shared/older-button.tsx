import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export interface OlderButtonProps {
  /** An infinite query with the newest entries first. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Loads older entries; renders nothing when all are shown. */
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
