/** People and sessions, in German. */
import type { people as english } from '../en/people.ts';
import type { Texts } from '../texts.ts';

export const people: Texts<typeof english> = {
  people: {
    title: 'Benutzer und Sitzungen',
    onlyOwners: 'Eigentümer sehen hier alle Konten und können Rollen ändern.',
    accounts: 'Konten',
    add: 'Ein Konto legen Sie mit „dowel users add NAME ROLE“ auf dem Server von Dowel an; „dowel users password NAME“ setzt ein neues Passwort.',
    accountsFailed: 'Die Konten konnten nicht geladen werden',
    noAccounts: 'Es gibt noch kein Konto.',
    name: 'Name',
    role: 'Rolle',
    since: 'Angelegt',
    ownAccount: 'Dies ist Ihr eigenes Konto. Nur ein anderer Eigentümer kann es ändern.',
    changeRole: 'Rolle ändern',
    changeRoleOf: 'Rolle ändern: {{name}}',
    remove: 'Entfernen',
    removeOf: 'Entfernen: {{name}}',
    removeAccount: 'Konto entfernen',
    whatRole: 'Das Konto erhält eine andere Rolle. Seine Sitzungen enden sofort.',
    whatRemove:
      'Das Konto wird gelöscht, und seine Sitzungen enden sofort. Was dieser Benutzer getan hat, bleibt im Protokoll.',
    may: {
      viewer: 'Kann alles sehen, aber nichts ändern.',
      operator:
        'Kann Aktionen für Installationen ausführen: anfordern, erneuern, pausieren, Hooks wiederholen.',
      owner:
        'Kann außerdem Installationen endgültig löschen sowie Benutzer und Schlüssel verwalten.',
    },
    users: 'Nutzer der Plattform',
    usersNote:
      'Dowel speichert Nutzer nur in den Sitzungen offener Seiten. Diese enden innerhalb von 15 Minuten automatisch.',
    eraseUser: 'Nutzerdaten löschen',
    whatErase:
      'Die Sitzungen des Nutzers enden sofort, und seine Daten werden daraus gelöscht. Eine offene Seite meldet sich neu an; lassen Sie den Nutzer deshalb zuerst auf der Plattform entfernen. Nennen Sie ihn nicht in der Begründung: Sie bleibt im Protokoll, das von der ID nur einen Fingerabdruck enthält.',
    userId: 'Nutzer-ID',
    tenantId: 'Mandanten-ID',
    tenantHint: 'Leer lassen für alle Mandanten.',
    allSessions: 'Alle Sitzungen',
    ownSessions: 'Ihre Sitzungen',
    sessionsNote:
      'Eine Sitzung endet nach 30 Minuten ohne Nutzung, spätestens zum angegebenen Zeitpunkt.',
    sessionsFailed: 'Die Sitzungen konnten nicht geladen werden',
    endSession: 'Sitzung beenden',
    whatEnd: 'Die Sitzung endet sofort. Um weiterzuarbeiten, muss sich der Benutzer neu anmelden.',
    signedIn: 'Angemeldet',
    ends: 'Endet',
    thisOne: 'Diese Sitzung',
    signOutInstead: 'Zum Beenden abmelden',
    end: 'Beenden',
    endOf: 'Beenden: Sitzung von {{name}}, {{begin}}',
    method: { code: 'mit Einmalcode', password: 'mit Passwort', oidc: 'mit Single Sign-on' },
  },
};
