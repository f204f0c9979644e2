import type { User } from '@dowel/emulator/control-api';
import { Loader, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import { PersonAvatar } from '../person-avatar.tsx';

export interface PersonCardProps {
  user: User;
  isBusy: boolean;
  onPick: () => void;
}

/** A card whose button is named by the person's name and described by the rest. */
export function PersonCard({ user, isBusy, onPick }: PersonCardProps) {
  const id = useId();
  return (
    <div className="person-card">
      {isBusy ? <Loader size={44} aria-hidden /> : <PersonAvatar name={user.name} size={44} />}
      <div className="person-card-words">
        <UnstyledButton
          className="person-card-name person-card-button"
          onClick={onPick}
          disabled={isBusy}
          aria-describedby={`${id}-job ${id}-email`}
        >
          {user.name}
        </UnstyledButton>
        <span id={`${id}-job`}>{user.jobTitle}</span>
        <span className="person-card-email" id={`${id}-email`}>
          {user.email}
        </span>
      </div>
    </div>
  );
}
