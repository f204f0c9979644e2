/** People and sessions, in German. */
import type { people as english } from '../en/people.ts';
import type { Texts } from '../texts.ts';

export const people: Texts<typeof english> = {
  people: {
    title: 'Benutzer und Sitzungen',
    onlyOwners: 'Eigentümer verwalten hier die Konten.',
    accounts: 'Konten',
    accountsNote:
      'Für die Anmeldung mit Passwort. Das legen alle selbst fest, mit einem Link, den Sie hier erhalten.',
    accountsNoteSso:
      'Für Benutzer, die sich mit einem Passwort anmelden. Single Sign-on braucht kein Konto: Dort gibt der Identitätsanbieter die Rolle.',
    accountsFailed: 'Die Konten konnten nicht geladen werden',
    noAccounts: 'Es gibt kein Konto. Eigentümer melden sich mit Einmalcodes an.',
    noAccountsSso:
      'Es gibt kein Konto. Alle melden sich mit Single Sign-on an, Eigentümer auch mit Einmalcodes.',
    name: 'Name',
    role: 'Rolle',
    since: 'Angelegt',
    password: 'Passwort',
    passwordSet: 'Festgelegt',
    linkUntil: 'Link bis {{until}}',
    linkExpired: 'Link abgelaufen',
    noLink: 'Nicht festgelegt',
    addAccount: 'Konto anlegen',
    whatAdd:
      'Sie erhalten einen Link, mit dem der Benutzer das Passwort festlegt: einmal, innerhalb von 72 Stunden.',
    nameHint: 'In Kleinbuchstaben, etwa ada@example.com. Er lässt sich später nicht ändern.',
    newLink: 'Neues Passwort',
    newLinkOf: 'Neues Passwort: {{name}}',
    createLink: 'Link erstellen',
    whatLink:
      'Sie erhalten einen Link, mit dem der Benutzer ein neues Passwort festlegt: einmal, innerhalb von 72 Stunden. Bis dahin gilt das bisherige, und Sitzungen laufen weiter. Ein früherer Link gilt nicht mehr.',
    link: 'Link',
    linkDone:
      'Senden Sie diesen Link an {{name}}, und zwar so, dass ihn sonst niemand liest. Er gilt einmal, bis {{until}}, und wird nicht noch einmal gezeigt.',
    ownAccount: 'Dies ist Ihr eigenes Konto. Nur ein anderer Eigentümer kann es ändern.',
    changeRole: 'Rolle ändern',
    changeRoleOf: 'Rolle ändern: {{name}}',
    remove: 'Entfernen',
    removeOf: 'Entfernen: {{name}}',
    removeAccount: 'Konto entfernen',
    whatRole: 'Das Konto erhält eine andere Rolle. Seine Sitzungen enden sofort.',
    whatRemove:
      'Das Konto wird gelöscht, und seine Sitzungen enden sofort. Was dieser Benutzer getan hat, bleibt im Protokoll.',
    ssoStays: 'Single Sign-on ist davon nicht betroffen: Dort entscheidet der Identitätsanbieter.',
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
    endOthers: 'Meine anderen Sitzungen beenden',
    whatEndOthers: 'Alle Ihre Sitzungen außer dieser enden sofort.',
    whatEnd: 'Die Sitzung endet sofort. Um weiterzuarbeiten, muss sich der Benutzer neu anmelden.',
    signedIn: 'Angemeldet',
    ends: 'Endet',
    from: 'Herkunft',
    lastUsed: 'Zuletzt genutzt',
    otherBrowser: 'Anderer Browser',
    onSystem: '{{browser}} unter {{system}}',
    thisOne: 'Diese Sitzung',
    signOutInstead: 'Zum Beenden abmelden',
    end: 'Beenden',
    endOf: 'Beenden: Sitzung von {{name}}, {{begin}}',
    method: { code: 'mit Einmalcode', password: 'mit Passwort', oidc: 'mit Single Sign-on' },
  },
};
