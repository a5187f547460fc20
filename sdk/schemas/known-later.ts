/** Placeholder for an unknown value in a field whose schema requires a string. */
export const knownLater = "known-later";
