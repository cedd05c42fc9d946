/** Bytes of a mail's HTML that Gmail shows. It hides the rest behind a link. */
const CLIPPED_FROM_BYTES = 102 * 1_024

/** Returns a hint about a clipped part. Undefined: the part is not clipped. */
export function clippingOf(bytes: number): string | undefined {
  if (bytes <= CLIPPED_FROM_BYTES) return undefined
  const kilobytes = Math.ceil(bytes / 1_024)
  return `has ${kilobytes} KB of HTML, and Gmail hides what is beyond 102 KB: shorten it`
}
