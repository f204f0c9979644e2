import type { User } from '@dowel/emulator/control-api';
import { Loader, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import { PersonAvatar } from '../person-avatar.tsx';

export interface PersonCardProps {
  user: User;
  isBusy: boolean;
  onPick: () => void;
}

/** A button named by the person's name and described by the rest. */
export function PersonCard({ user, isBusy, onPick }: PersonCardProps) {
  const id = useId();
  return (
    <UnstyledButton
      className="person-card"
      onClick={onPick}
      disabled={isBusy}
      aria-labelledby={`${id}-name`}
      aria-describedby={`${id}-job ${id}-email`}
    >
      {isBusy ? (
        <Loader size={44} aria-label="Signing in" />
      ) : (
        <PersonAvatar name={user.name} size={44} />
      )}
      <span className="person-card-words">
        <span className="person-card-name" id={`${id}-name`}>
          {user.name}
        </span>
        <span id={`${id}-job`}>{user.jobTitle}</span>
        <span className="person-card-email" id={`${id}-email`}>
          {user.email}
        </span>
      </span>
    </UnstyledButton>
  );
}
