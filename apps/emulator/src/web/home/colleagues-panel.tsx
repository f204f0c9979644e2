import type { Session } from '@dowel/emulator/control-api';
import { Title } from '@mantine/core';
import { PersonAvatar } from '../person-avatar.tsx';

/** The people whom a plug-in can notify. */
export function ColleaguesPanel({ session }: { session: Session }) {
  return (
    <aside className="panel colleagues" aria-label="Colleagues">
      <Title order={2} size="h4" mb="sm">
        Colleagues
      </Title>
      <ul className="colleagues-list">
        {session.colleagues.map((person) => (
          <li key={person.userId}>
            <PersonAvatar name={person.name} size={38} />
            <div className="person-card-words">
              <span className="person-card-name">
                {person.name}
                {person.userId === session.user.userId && ' (you)'}
              </span>
              <span>{person.jobTitle}</span>
              <span className="person-card-email">{person.email}</span>
            </div>
          </li>
        ))}
      </ul>
    </aside>
  );
}
