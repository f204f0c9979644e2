import type { Session } from '@dowel/emulator/control-api';
import { Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import Check from 'lucide-react/icons/check';
import ChevronDown from 'lucide-react/icons/chevron-down';
import LogOut from 'lucide-react/icons/log-out';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import { PersonAvatar } from '../person-avatar.tsx';
import { useSignIn, useSignOut } from '../sign-in/sign-in.ts';

const schemes = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'auto', label: 'As the system', Icon: Monitor },
] as const;

/** The signed-in person's menu: change the person, choose light or dark, sign out. */
export function PersonMenu({ session }: { session: Session }) {
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
          <VisuallyHidden>Account menu, </VisuallyHidden>
          <span className="person-menu-name">{user.name}</span>
          <ChevronDown size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown aria-label="Account menu" mah="80dvh" className="scrolls">
        <Menu.Label>{`${user.jobTitle} · ${user.email}`}</Menu.Label>
        <SwitchPersonItems session={session} />
        <Menu.Divider />
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SwitchPersonItems({ session }: { session: Session }) {
  const signIn = useSignIn();
  const others = session.colleagues.filter(({ userId }) => userId !== session.user.userId);
  if (others.length === 0) return null;

  return (
    <>
      <Menu.Label>Switch person</Menu.Label>
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

function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>Colours</Menu.Label>
      {schemes.map(({ value, label, Icon }) => (
        <Menu.Item
          key={value}
          leftSection={<Icon size={16} aria-hidden />}
          rightSection={colorScheme === value && <Check size={16} aria-label="chosen" />}
          onClick={() => setColorScheme(value)}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}
