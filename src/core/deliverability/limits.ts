export const MOST_QUESTIONS = 25
/** Bytes of look-ups. Fetched files (a policy or a logo) add at most 128 KB, so 1 MB in all. */
export const MOST_DNS_BYTES = 700_000
/** Answers are due within 5 s. This leaves time for the rest of the request. */
export const MOST_RUN_MS = 4_500
