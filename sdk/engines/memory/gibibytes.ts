export const gibibyte = 2 ** 30;

export const gibibytes = (bytes: number): number => bytes / gibibyte;

/** Returns a size as `61.0 GiB`. */
export const gibText = (bytes: number): string => `${gibibytes(bytes).toFixed(1)} GiB`;
