/** What the poll keeps, in memory. A real poll keeps it in a database. */

export type Choice = 'soup' | 'salad';

/** Votes by the life of an installation, and user. */
const votes = new Map<string, Map<string, Choice>>();
let menu = '';

export function votesOf(lifeId: string): Map<string, Choice> {
  const known = votes.get(lifeId) ?? new Map<string, Choice>();
  votes.set(lifeId, known);
  return known;
}

export function countVotes(lifeId: string): Record<Choice, number> {
  const all = [...votesOf(lifeId).values()];
  return {
    soup: all.filter((each) => each === 'soup').length,
    salad: all.filter((each) => each === 'salad').length,
  };
}

export function deleteVotes(lifeId: string): void {
  votes.delete(lifeId);
}

/** Today's menu. Empty: it is not known. */
export function getMenu(): string {
  return menu;
}

export function setMenu(text: string): void {
  menu = text;
}
