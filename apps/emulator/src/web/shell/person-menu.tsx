import type { Session } from '@dowel/emulator/control-api';
import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import ChevronDown from 'lucide-react/icons/chevron-down';
import LogOut from 'lucide-react/icons/log-out';
import { useTranslation } from 'react-i18next';
import { PersonAvatar } from '../person-avatar.tsx';
import { useSignIn, useSignOut } from '../sign-in/sign-in.ts';
import { AppearanceItems } from './appearance-items.tsx';

/** The signed-in person's menu: change the person, choose colours and language, sign out. */
export function PersonMenu({ session }: { session: Session }) {
  const { t } = useTranslation();
  const signOut = useSignOut();
  const { user } = session;

  return (
    <Menu
      position="bottom-end"
      width={270}
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <UnstyledButton className="person-menu-button">
          <PersonAvatar name={user.name} size={34} />
          <VisuallyHidden>{`${t('shell.accountMenu')}, `}</VisuallyHidden>
          <span className="person-menu-name">{user.name}</span>
          <ChevronDown size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown aria-label={t('shell.accountMenu')} mah="80dvh" className="scrolls">
        <Menu.Label>{`${user.jobTitle} · ${user.email}`}</Menu.Label>
        <SwitchPersonItems session={session} />
        <Menu.Divider />
        <AppearanceItems user={user} />
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => signOut.mutate()}>
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SwitchPersonItems({ session }: { session: Session }) {
  const { t } = useTranslation();
  const signIn = useSignIn();
  const others = session.colleagues.filter(({ userId }) => userId !== session.user.userId);
  if (others.length === 0) return null;

  return (
    <>
      <Menu.Label>{t('shell.switchPerson')}</Menu.Label>
      {others.map((person) => (
        <Menu.Item
          key={person.userId}
          leftSection={<PersonAvatar name={person.name} size={26} />}
          onClick={() => signIn.mutate(person.userId)}
        >
          {person.name}
          <Text size="xs" c="inherit">
            {person.jobTitle}
          </Text>
        </Menu.Item>
      ))}
    </>
  );
}
