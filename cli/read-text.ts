import { createReadStream } from "node:fs";
import { BodyTooLong, readBody } from "../kubernetes/api/read-body.ts";
import { UnreadableInput } from "./exit-code.ts";
import { longestInput, tooLong, tooMuch } from "./too-much.ts";

/**
 * Returns the text of a file.
 *
 * @throws UnreadableInput for a file that cannot be read or is too long
 */
export async function readText(file: string): Promise<string> {
  try {
    const bytes = await readBody(createReadStream(file), { what: file, maxBytes: longestInput });
    return bytes.toString("utf8");
  } catch (error) {
    if (error instanceof BodyTooLong) throw tooMuch(file, tooLong);
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = reasons[code ?? ""] ?? message;
    throw new UnreadableInput(`${file}: ${reason}`, { line: 1, reason });
  }
}

const reasons: Record<string, string> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
};
