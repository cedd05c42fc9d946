const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

/** Limits of the size of requests. Larger requests are refused before they are read. */
export const REQUEST_LIMITS = {
  /** Request line and all headers. Node answers larger ones with 431. */
  headerBytes: 16 * KIBIBYTE,
  /** Browsers behind two proxies send about forty. */
  headers: 100,
  /** Path and query, four times as long as any of ours. */
  urlCharacters: 8 * KIBIBYTE,
  pathParameterCharacters: 1_024,
  bodyBytes: MEBIBYTE,
  /** Batches, templates, pushes, sets of contacts and events. */
  largeBodyBytes: 5 * MEBIBYTE,
  /** Single mail: attachments may have 10 MiB, and a third more in base64. */
  mailBytes: 15 * MEBIBYTE,
  formBytes: 64 * KIBIBYTE,
  /** The largest event that EventBridge takes (EventBridge user guide, "Quotas"). */
  deliveryEventBytes: MEBIBYTE,
  /** The largest message of SNS (SNS developer guide, "Quotas"). */
  snsMessageBytes: 256 * KIBIBYTE,
  /** An import's file, before and after inflation. */
  uploadBytes: KIBIBYTE * MEBIBYTE,
  uploadFields: 20,
  uploadFieldBytes: 64 * KIBIBYTE,
  /** Levels of objects and lists. Postgres and recursion both have limits. */
  nesting: 64,
} as const
