import type { EventRecord, TokenOperation } from '@dowel/schema';
import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import History from 'lucide-react/icons/history';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { EventTimeline } from './event-timeline.tsx';
import type { InstallationSearch } from './installation-search.ts';
import classes from './installation-tabs.module.css';
import { RefreshHistory } from './refresh-history.tsx';

export interface InstallationTabsProps {
  installationId: string;
  tab: InstallationSearch['tab'];
  events: EventRecord[];
  tokenOperations: TokenOperation[];
}

export function InstallationTabs(props: InstallationTabsProps) {
  const navigate = useNavigate();

  function show(tab: string | null): void {
    void navigate({
      to: '/installations/$id',
      params: { id: props.installationId },
      search: tab === 'refreshes' ? { tab } : {},
      replace: true,
      resetScroll: false,
    });
  }

  return (
    <Tabs value={props.tab ?? 'events'} onChange={show} className={`card ${classes.tabs}`}>
      <Tabs.List aria-label="History" className={classes.list}>
        <Tabs.Tab value="events" leftSection={<History size={16} aria-hidden="true" />}>
          Lifecycle events
        </Tabs.Tab>
        <Tabs.Tab value="refreshes" leftSection={<RefreshCw size={16} aria-hidden="true" />}>
          Refresh history
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="events" className={classes.panel}>
        <EventTimeline events={props.events} />
      </Tabs.Panel>
      <Tabs.Panel value="refreshes" className={classes.panel}>
        <RefreshHistory operations={props.tokenOperations} />
      </Tabs.Panel>
    </Tabs>
  );
}
