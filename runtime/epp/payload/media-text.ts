/**
 * Length of the text that represents an image, video or sound in a prompt: four bytes for each of the 225 tokens that
 * the upstream picker assumes for an image of 640 x 360 pixels.
 */
export const mediaTextLength = 900;

/**
 * Returns a string of fixed length that represents a medium, so that an image of 1 MB counts no more in a prompt than a
 * link to one. Long content is sampled evenly: two different media of the same length differ almost everywhere.
 * @param content link, or encoded data.
 */
export function mediaText(content: string): string {
  if (content === "") return "";
  if (content.length <= mediaTextLength) return content.padEnd(mediaTextLength, content);
  const text = Buffer.alloc(mediaTextLength, `${content.length}:`);
  const first = String(content.length).length + 1;
  const step = content.length / (mediaTextLength - first);
  for (let at = first; at < mediaTextLength; at += 1)
    text[at] = content.charCodeAt(Math.floor((at - first) * step)) & 0x7f;
  return text.toString("latin1");
}
