/**
 * The six colour roles. `text` is used on `ground`, `chart` on a card. An icon and a word always stand
 * beside the colour. The chart colours stay apart under red-, green- and blue-blindness (Machado 2009).
 */
export type Role = 'ok' | 'risk' | 'bad' | 'note' | 'hold' | 'gone';

export type RoleColors = Readonly<Record<Role, { text: string; ground: string; chart: string }>>;

export const lightRoles: RoleColors = {
  ok: { text: '#00633f', ground: '#e0f4ea', chart: '#0b7268' },
  risk: { text: '#7a4300', ground: '#fff0d4', chart: '#ca7d00' },
  bad: { text: '#a82607', ground: '#fdeae5', chart: '#b8300f' },
  note: { text: '#1c4f9c', ground: '#e5eefb', chart: '#4a8fe6' },
  hold: { text: '#553b97', ground: '#efeafa', chart: '#59409f' },
  gone: { text: '#46535c', ground: '#e9edf0', chart: '#87949d' },
};

export const darkRoles: RoleColors = {
  ok: { text: '#7ddfb3', ground: '#12362a', chart: '#45c4b2' },
  risk: { text: '#ffce80', ground: '#40300f', chart: '#eea63a' },
  bad: { text: '#ffab98', ground: '#481e14', chart: '#f2745a' },
  note: { text: '#a5c8ff', ground: '#1b3156', chart: '#8fc0ff' },
  hold: { text: '#cdbdfa', ground: '#34285a', chart: '#8a6ad8' },
  gone: { text: '#bcc8cf', ground: '#2b3740', chart: '#74838e' },
};
