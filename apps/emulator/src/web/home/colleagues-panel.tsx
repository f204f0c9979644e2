import type { Session } from '@dowel/emulator/control-api';
import { Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { AddPerson } from '../people/add-person.tsx';
import { PersonAvatar } from '../person-avatar.tsx';

/** The people whom a plug-in can notify. */
export function ColleaguesPanel({ session }: { session: Session }) {
  const { t } = useTranslation();
  return (
    <aside className="panel colleagues" aria-label={t('home.colleagues')}>
      <Title order={2} size="h4" mb="sm">
        {t('home.colleagues')}
      </Title>
      <ul className="colleagues-list">
        {session.colleagues.map((person) => (
          <li key={person.userId}>
            <PersonAvatar name={person.name} size={38} />
            <div className="person-card-words">
              <span className="person-card-name">
                {person.userId === session.user.userId
                  ? t('home.you', { name: person.name })
                  : person.name}
              </span>
              <span>{person.jobTitle}</span>
              <span className="person-card-email">{person.email}</span>
            </div>
          </li>
        ))}
      </ul>
      <Stack mt="sm">
        <AddPerson tenant={session.tenant} />
      </Stack>
    </aside>
  );
}
