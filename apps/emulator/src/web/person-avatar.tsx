import { Avatar, type AvatarProps } from '@mantine/core';

const colours = ['#00606f', '#7a4a00', '#5b3fa0', '#9c2f5b', '#1d5fa8', '#2f6b2f'];

export interface PersonAvatarProps extends AvatarProps {
  name: string;
}

/** Initials on a colour that depends on the name. Decoration: the name is always beside it. */
export function PersonAvatar({ name, ...avatar }: PersonAvatarProps) {
  const background = colours[hash(name) % colours.length];
  return (
    <Avatar
      {...avatar}
      alt=""
      aria-hidden
      styles={{ placeholder: { background, color: '#fff', border: 0 } }}
    >
      {initials(name)}
    </Avatar>
  );
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters.map((word) => word?.[0]?.toUpperCase() ?? '').join('');
}

function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return sum;
}
