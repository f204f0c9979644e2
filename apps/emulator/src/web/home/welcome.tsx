import { Text, Title } from '@mantine/core';
import { useNow } from '../time-ago.tsx';

export function Welcome({ name, tenantName }: { name: string; tenantName: string }) {
  const now = new Date(useNow(60_000));
  const date = now.toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long' });
  return (
    <div className="welcome">
      <Text size="sm">{date}</Text>
      <Title order={1} size="h2">
        {greeting(now.getHours())}, {name.split(' ')[0]}
      </Title>
      <Text>This is what people at {tenantName} see on their home page.</Text>
    </div>
  );
}

function greeting(hour: number): string {
  if (hour < 5 || hour >= 18) return 'Good evening';
  return hour < 12 ? 'Good morning' : 'Good afternoon';
}
