/** A whole address: lists that are kept by hash find nothing by a part of one. */
export const EMAIL_ADDRESS = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/
