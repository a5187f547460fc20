/** Longest pause between two parts of a response, in ms. */
const idleMs = 60_000;

/**
 * Yields the bytes of a response as they arrive.
 *
 * @param most bytes that the response may have
 * @throws Error if there are more, or if none arrive for a minute
 */
export async function* bytesOf(
  response: Response,
  most: number,
  pauseMs = idleMs,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let read = 0;
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), pauseMs);
      if (done) return;
      read += value.length;
      if (read > most) throw new Error(`sent more than ${most} bytes`);
      yield value;
    }
  } finally {
    // Closes the connection if bytes are left.
    reader.cancel().catch(() => undefined);
  }
}

/** Reads a response of at most `most` bytes. */
export async function readBytes(response: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of bytesOf(response, most)) parts.push(part);
  return Buffer.concat(parts);
}

async function within<T>(result: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`sent nothing for ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}
