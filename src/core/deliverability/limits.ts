/** What one request for a check may use. */
export const MOST_QUESTIONS = 25
/** Of look-ups; what is fetched (a policy or a logo) adds 128 KB at most: 1 MB together. */
export const MOST_DNS_BYTES = 700_000
/** Everything is answered within 5 s; this leaves time for the rest of the request. */
export const MOST_RUN_MS = 4_500
