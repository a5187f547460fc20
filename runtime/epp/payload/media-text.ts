/**
 * Length of the text that stands for an image, video or sound in a prompt: four bytes for each of the 225 tokens
 * that the upstream picker takes an image of 640 x 360 pixels for.
 */
export const mediaTextLength = 900;

/**
 * Returns a string of fixed length that stands for a medium, so that a picture of a megabyte weighs no more in a prompt than
 * one behind a link. Long contents are sampled evenly: two media of one length that differ do so almost everywhere.
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
