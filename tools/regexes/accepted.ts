/**
 * Regular expressions that are not proven linear, by their source text, with the reason why they
 * may stay: their input is short, or our own.
 */
export const ACCEPTED: Record<string, string> = {
  [String.raw`/<script>([^]*?)<\/script>/`]: 'the page of the console, which we have built',
  [String.raw`/^(?:[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+|[\w .-]{1,100} <[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+>)$/`]:
    'NOTICE_FROM, a setting of the operator’s own',
  [String.raw`/\/+$/`]:
    'PUBLIC_URL, a setting of the operator’s own; the address a client is given',
  [String.raw`/configuration.?set\b.*\bdoes not exist|ConfigurationSetDoesNotExist|not authorized\b.*:configuration-set\//is`]:
    'what SES or IAM answers to a mail of ours',
  [String.raw`/[^\s<>(),;:"']+@[^\s<>(),;:"']+/g`]: 'what SES answers to a mail of ours',
  [String.raw`/^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/`]:
    'names of at most 253 characters; its runs are bounded, which a busy machine takes for slow',
  [String.raw`/^create (unique )?index concurrently (\w+)\s+on (\w+) ([^;]+);$/m`]:
    'a migration, which is a file of this repository',
  [String.raw`/^sns(?:[.-][a-z0-9]{1,40})*\.amazonaws\.com(?:\.cn)?$/`]:
    'names of certificates; its runs are bounded, which a busy machine takes for slow',
  [String.raw`/\0+$/`]: 'padding that we wrote ourselves and have authenticated',
  [String.raw`/[\p{L}\p{N}!#$%&'*+/=?^_\`{|}~.-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.)+[\p{L}\p{N}-]{2,63}/gu`.replace(
    '\\`',
    '`',
  )]: 'each run is bounded, and texts in logs are cut at 8,192 characters before',
}

/** Folders whose texts are our own. */
export const OWN: Record<string, string> = {
  'src/main/dev/': 'it reads what Postgres and Temporal print on the developer’s machine',
  'tools/': 'they read files of this repository',
  'src/mail/': 'templates are read in threads that are ended when they take too long',
}

/** Files that make regular expressions at run time, with the source of their patterns. */
export const MADE: Record<string, string> = {
  'api/mails/resend-mail.ts': 'names of fields, which are words of ours',
  'api/smtp/submit.ts': 'patterns of schemas, which are checked here',
  'api/http/methods.ts':
    'our own routes: runs of anything but slashes, the path anchored at both ends',
  'api/http/schema-problems.ts': 'the patterns of schemas, which are checked here',
  'tools/sandbox/credentials.ts': 'session policies that we wrote',
  'api/http/idempotency.ts': 'a pattern of schemas: one class of characters, bounded, anchored',
  'src/domain/consent/link-token.ts':
    'words and separators of ours, of bounded length, and one run of a single class at the end',
  'src/domain/deliverability/spf-record.ts':
    'the pattern of a macro, which is checked, at the end of a text',
  'src/domain/accounts/console-policy.ts': 'a word of ours and at most six digits',
  'src/core/deliverability/hops.ts': 'a word of ours, blanks, and a name of bounded length',
  'src/domain/delivery/bots.ts': 'the words of web-bots.ts, each of which is checked, side by side',
  'src/domain/deliverability/spf-macros.ts': 'one character of a few',
  'src/domain/deliverability/tags.ts': 'a version of ours, anchored, with runs of blanks around it',
  'src/mail/html-tokens.ts': 'the end tag of one of a few elements',
  'src/mail/liquid-tree.ts':
    'anchored, of at most 20,000 characters; each run ends before a character that it cannot have',
  'src/mail/styles.ts': 'a mark of ours and digits',
  'src/main/commands/arguments.ts': 'LINE, a pattern of schemas',
  'src/store/privacy/import-reports.ts':
    'an external id, escaped, and what must not stand beside it; no run',
}
