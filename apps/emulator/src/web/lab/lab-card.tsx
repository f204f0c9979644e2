import { Text, Title } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import { useId } from 'react';

export interface LabCardProps {
  title: string;
  Icon: LucideIcon;
  /** One line about what a developer can test with this setting. */
  tests: string;
  children: React.ReactNode;
}

export function LabCard({ title, Icon, tests, children }: LabCardProps) {
  const headingId = useId();
  return (
    <section className="panel lab-card" aria-labelledby={headingId}>
      <div className="lab-card-head">
        <Icon size={20} aria-hidden />
        <Title order={2} size="h4" id={headingId}>
          {title}
        </Title>
      </div>
      <Text size="sm" c="dimmed">
        {tests}
      </Text>
      {children}
    </section>
  );
}
