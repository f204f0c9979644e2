import type { Case, Group } from './case.ts';
import { claims } from './claims.ts';
import { heights } from './heights.ts';
import { keyHosts } from './key-hosts.ts';
import { messages } from './messages.ts';
import { options } from './options.ts';
import { injection, pollution } from './pollution.ts';
import { saves } from './saves.ts';
import { signatures } from './signatures.ts';
import { sources } from './sources.ts';
import { clocks, compatibility, surroundings } from './surroundings.ts';

export const groups: Group[] = [
  signatures,
  messages,
  claims,
  keyHosts,
  sources,
  pollution,
  injection,
  clocks,
  surroundings,
  compatibility,
  saves,
  options,
  heights,
];

export const allCases: Case[] = groups.flatMap(({ cases }) => cases);
