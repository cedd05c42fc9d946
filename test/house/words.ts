/** A word of private vocabulary, and what is said instead. */
export interface Banned {
  pattern: RegExp
  say: string
  /** Files in which it is looked for; absent: all of them. */
  where?: RegExp
}

const CODE = /\.(?:tsx?|mjs|sql)$/
const PAGES = /\.md$/

/**
 * What is looked for in names, logs, messages, comments and pages. A word whose standard meaning is
 * used somewhere (`take`, `role`, `lane`, `settle`) is not here, only the names that mean something
 * else by it.
 */
export const BANNED: readonly Banned[] = [
  // Limits and slots of flows.
  { pattern: /\bletIn\b/, say: 'admitWithinLimit' },
  { pattern: /\blet_in_at\b|\bletInAt\b/, say: 'slot_granted_at' },
  { pattern: /\bgivePlaces\b/, say: 'allocateSlots' },
  { pattern: /\bleaveNoEntry\b/, say: 'revertEntry' },

  // Consent.
  { pattern: /\b(?:takeBack|takesBack|takenBack)\b/, say: 'resubscribe' },
  { pattern: /\btaken back\b/, say: 'resubscribed', where: /\/consent\// },
  { pattern: /\bleaveUnspelt\b|\bunspelt\b/, say: 'unsubscribeByHash' },
  { pattern: /\bspell\(/, say: 'resolveAddress', where: /^(?:src|api|activities)\// },
  { pattern: /\b[dD]epartures?\b|\bDeparted\b|topic_departures/, say: 'opt-out' },

  // Sending.
  {
    pattern: /\boutlet(?:_queue|s)?\b|\bOutlet\w*/,
    say: 'mail queue',
    // Of the router: where a page stands within the frame of all pages.
    where: /^(?!src\/console\/)/,
  },
  {
    pattern: /\bmail outside (?:of )?batches\b/i,
    say: 'single mail',
    where: /^(?!migrations\/)/,
  },
  { pattern: /\bheed\b/, say: 'applyProviderFeedback, recordChunk' },
  { pattern: /\bpersist\(/, say: 'writeWithRetry' },
  { pattern: /\bbeating\(/, say: 'withHeartbeat' },

  // The outbox.
  {
    pattern: /\bpromises? (?:of|in|into) the outbox\b|\ba promise waits\b/i,
    say: 'outbox message',
  },
  { pattern: /'a wake was refused'/, say: "'dispatcher signal failed'" },

  // Tenancy and keys.
  {
    pattern: /\bcrossings?\b|letterloom_crossing/i,
    say: 'security-definer (cross-tenant) function',
  },
  { pattern: /\bpeppers?\b/i, say: 'HMAC key' },

  // HTTP.
  {
    pattern: /WeakMap<FastifyRequest/,
    say: 'decorateRequest, with the property declared on FastifyRequest',
    where: /^api\//,
  },
  {
    pattern: /'(?:retry-after|www-authenticate)'/,
    say: 'retryAfterSeconds; headers are made by api/http',
    where: /^src\/(?:core|domain|mail|store)\/|^src\/[^/]+$/,
  },

  // Names.
  { pattern: /\bStanding\b/, say: 'LockedExecution, LockedBatch' },
  { pattern: /\bmeant\(/, say: 'relevantErrors' },
  { pattern: /\bruledPatch\b/, say: 'toChanges' },
  { pattern: /\brequireMade\b/, say: 'unwrapWrite' },
  { pattern: /\buntilWritten\b/, say: 'retryOnConflict' },
  { pattern: /\bfunction written\b/, say: 'contactResponse' },
  { pattern: /\bknowRoutes\b/, say: 'recordMethods' },
  { pattern: /\bremembering\b/, say: 'cachedCredential' },

  // Logs.
  { pattern: /claims lost their worker/, say: 'send leases expired' },
  { pattern: /'told to stop'/, say: "'shutdown requested'" },
  { pattern: /owners are told nothing/, say: 'NOTICE_FROM unset: notices and invitations are off' },

  // Messages of the API.
  { pattern: /There is more to do than/, say: 'The server is overloaded' },
  { pattern: /The upload broke off/, say: 'The upload was interrupted' },
  { pattern: /is no form: its boundary/, say: 'is not valid multipart: boundary missing' },
  { pattern: /halves of characters/, say: 'unpaired surrogates' },

  // Comments and pages.
  { pattern: /^\s*(?:\/\*\*|\*) Answers (?!to |by |for |are |late)/, say: 'Returns', where: CODE },
  { pattern: /\bexactly once\b/i, say: 'at most once for each attempt', where: PAGES },
  {
    pattern:
      /^\s*(?:\/\*\*|\*|\/\/) Who (?:is|was|has|had|wanted|got|lacks|asks|leaves)\b(?!.*, as)/,
    say: 'a sentence with a subject',
    where: /^(?!.*\/contacts\/).*\.(?:ts|mjs|sql)$/,
  },
  { pattern: /\bthe specification\b/i, say: 'the rule itself' },
  {
    pattern: /(?:^|\s)\((?:contract|specification|spec)[ ,)]|\b(?:contract|architecture) \d/i,
    say: 'the rule itself',
  },
]
