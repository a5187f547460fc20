import { cutsOf, type Edit, spliced } from "./member-edit.ts";
import type { Payload } from "./payload.ts";

/** What becomes of a body; every other byte stays as the client sent it. */
export interface BodyChange {
  /** The model that the server is asked for; undefined leaves the client's. */
  readonly model?: string | undefined;
  /** Takes out the fields that only infrastructure may set. */
  readonly withoutEngineFields?: boolean | undefined;
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
