const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

/**
 * The size of what a request brings, whatever it means. What is larger is refused before it is
 * read.
 */
export const REQUEST_LIMITS = {
  /** The request line and all headers; Node answers 431 beyond. */
  headerBytes: 16 * KIBIBYTE,
  /** Browsers behind two proxies send about forty. */
  headers: 100,
  /** Path and query. Nothing of ours needs a quarter of it. */
  urlCharacters: 8 * KIBIBYTE,
  pathParameterCharacters: 1_024,
  bodyBytes: MEBIBYTE,
  /** Batches, templates, pushes, sets of contacts and events. */
  largeBodyBytes: 5 * MEBIBYTE,
  /** Single mail: attachments may have 10 MiB, and a third more in base64. */
  mailBytes: 15 * MEBIBYTE,
  /** A form of a public page. */
  formBytes: 64 * KIBIBYTE,
  /** The largest event that EventBridge takes (EventBridge user guide, "Quotas"). */
  deliveryEventBytes: MEBIBYTE,
  /** The largest message of SNS (SNS developer guide, "Quotas"). */
  snsMessageBytes: 256 * KIBIBYTE,
  /** An import's file, before and after inflation. */
  uploadBytes: KIBIBYTE * MEBIBYTE,
  uploadFields: 20,
  uploadFieldBytes: 64 * KIBIBYTE,
  /** Objects and lists within one another: both Postgres and recursion end somewhere. */
  nesting: 64,
} as const
