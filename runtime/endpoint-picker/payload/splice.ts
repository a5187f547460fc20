import type { EngineField } from "./engine-fields.ts";
import { skipSpace, skipSpaceBack } from "./json-scanner.ts";
import type { ByteSpan, Payload } from "./payload.ts";

/** What becomes of a body; every other byte stays as the client sent it. */
export interface BodyChange {
  /** The model that the server is asked for; undefined leaves the client's. */
  readonly model?: string | undefined;
  /** Takes out the fields that only infrastructure may set. */
  readonly withoutEngineFields?: boolean | undefined;
}

interface Edit extends ByteSpan {
  readonly text: string;
}

/** The body with its changes: the same buffer where there is none. A body that is not a JSON object stays as it is. */
export function changedBody(payload: Payload, change: BodyChange): Buffer {
  const { model, withoutEngineFields = false } = change;
  const { body, engineFields } = payload;
  const cuts = withoutEngineFields && engineFields.length > 0 ? cutsOf(body, engineFields) : [];
  const edits = [...(model === undefined ? [] : modelEdits(payload, model)), ...cuts];
  return edits.length === 0 ? body : spliced(body, edits);
}

function modelEdits({ modelSpans = [] }: Payload, model: string): Edit[] {
  const name = JSON.stringify(model);
  return modelSpans.map(({ start, end }) => {
    // A new member is never the only one: every API demands another field.
    return { start, end, text: start === end ? `"model":${name},` : name };
  });
}

const comma = 0x2c;

/** Fields that follow each other are cut at once, each with a comma, so that what is left is JSON. */
function cutsOf(body: Buffer, fields: readonly EngineField[]): Edit[] {
  const cuts: Edit[] = [];
  for (let at = 0; at < fields.length; ) {
    const { start } = fields[at] as EngineField;
    let end: number;
    let next: number;
    do {
      ({ end } = fields[at] as EngineField);
      next = skipSpace(body, end);
      at += 1;
    } while (body[next] === comma && fields[at]?.start === skipSpace(body, next + 1));
    if (body[next] === comma) cuts.push({ start, end: next + 1, text: "" });
    else {
      const before = skipSpaceBack(body, start);
      cuts.push({ start: body[before - 1] === comma ? before - 1 : start, end, text: "" });
    }
  }
  return cuts;
}

function spliced(body: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((one, other) => one.start - other.start)) {
    parts.push(body.subarray(at, start), Buffer.from(text));
    at = end;
  }
  parts.push(body.subarray(at));
  return Buffer.concat(parts);
}
