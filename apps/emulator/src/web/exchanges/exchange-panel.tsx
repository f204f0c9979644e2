import { Title } from '@mantine/core';
import { useId } from 'react';

/** A column of the view of a request. */
export function ExchangePanel({ title, children }: { title: string; children: React.ReactNode }) {
  const headingId = useId();
  return (
    <section className="panel exchange-panel" aria-labelledby={headingId}>
      <Title order={2} size="h5" id={headingId}>
        {title}
      </Title>
      {children}
    </section>
  );
}
