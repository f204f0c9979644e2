/** People and sessions, in German. */
import type { people as english } from '../en/people.ts';
import type { Texts } from '../texts.ts';

export const people: Texts<typeof english> = {
  people: {
    title: 'Benutzer und Sitzungen',
    onlyOwners: 'Eigentümer sehen hier alle Konten und ändern Rollen.',
    accounts: 'Konten',
    add: 'Ein Konto entsteht mit „dowel users add NAME ROLE“ dort, wo Dowel läuft; „dowel users password NAME“ setzt ein neues Passwort.',
    accountsFailed: 'Die Konten konnten nicht geladen werden',
    noAccounts: 'Noch gibt es kein Konto.',
    name: 'Name',
    role: 'Rolle',
    since: 'Angelegt',
    ownAccount: 'Das ist Ihr eigenes Konto. Das muss ein anderer Eigentümer tun.',
    changeRole: 'Rolle ändern',
    changeRoleOf: 'Rolle ändern: {{name}}',
    remove: 'Entfernen',
    removeOf: 'Entfernen: {{name}}',
    removeAccount: 'Konto entfernen',
    whatRole: 'Das Konto erhält eine andere Rolle, und seine Sitzungen enden sofort.',
    whatRemove:
      'Das Konto wird gelöscht, und seine Sitzungen enden sofort. Was diese Person tat, bleibt im Protokoll.',
    may: {
      viewer: 'Liest alles und ändert nichts.',
      operator: 'Handelt an Installationen: anfordern, erneuern, pausieren, Hooks wiederholen.',
      owner: 'Löscht auch Installationen und verwaltet Benutzer und Schlüssel.',
    },
    users: 'Nutzer der Plattform',
    usersNote:
      'Dowel speichert Nutzer nur in den Sitzungen offener Seiten. Diese enden innerhalb von 15 Minuten von selbst.',
    eraseUser: 'Nutzer löschen',
    whatErase:
      'Die Sitzungen des Nutzers enden sofort, und nichts über ihn bleibt darin. Eine offene Seite meldet sich neu an; lassen Sie den Nutzer also zuerst auf der Plattform entfernen. Nennen Sie ihn nicht in der Begründung: Das Protokoll bewahrt sie auf und hat von der ID nur einen Fingerabdruck.',
    userId: 'Nutzer-ID',
    tenantId: 'Mandanten-ID',
    tenantHint: 'Leer: bei allen Mandanten.',
    allSessions: 'Alle Sitzungen',
    ownSessions: 'Ihre Sitzungen',
    sessionsNote: 'Eine Sitzung endet nach 30 Minuten ohne Nutzung, spätestens zur gezeigten Zeit.',
    sessionsFailed: 'Die Sitzungen konnten nicht geladen werden',
    endSession: 'Sitzung beenden',
    whatEnd: 'Die Sitzung endet sofort. Um weiterzuarbeiten, meldet sich diese Person neu an.',
    signedIn: 'Angemeldet',
    ends: 'Endet',
    thisOne: 'Diese Sitzung',
    signOutInstead: 'Abmelden beendet sie',
    end: 'Beenden',
    endOf: 'Beenden: Sitzung von {{name}}, {{begin}}',
    method: { code: 'mit Einmalcode', password: 'mit Passwort', oidc: 'mit Single Sign-on' },
  },
};
