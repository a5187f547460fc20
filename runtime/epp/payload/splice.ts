import { cutsOf, type Edit, spliced } from "./member-edit.ts";
import type { Payload } from "./payload.ts";

/** What becomes of a body; every other byte stays as the client sent it. */
export interface BodyChange {
  /** The model that the server is asked for; undefined leaves the client's. */
  readonly model?: string | undefined;
  /** Takes out the fields that only infrastructure may set. */
  readonly withoutEngineFields?: boolean | undefined;
  /** Id for the response, as member `request_id`. */
  readonly responseId?: string | undefined;
  /** Another id in member `conversation`. */
  readonly conversation?: { readonly from: string; readonly to: string } | undefined;
}

/** The body with its changes: the same buffer where there is none. A body that is not a JSON object stays as it is. */
export function changedBody(payload: Payload, change: BodyChange): Buffer {
  const { model, withoutEngineFields = false } = change;
  const { body, engineFields } = payload;
  const cuts = withoutEngineFields && engineFields.length > 0 ? cutsOf(body, engineFields) : [];
  const edits = [
    ...(model === undefined ? [] : modelEdits(payload, model)),
    ...stateEdits(payload, change),
    ...cuts,
  ];
  return edits.length === 0 ? body : spliced(body, edits);
}

function modelEdits({ modelSpans = [], isForm }: Payload, model: string): Edit[] {
  if (isForm) return modelSpans.map((span) => ({ ...span, text: model }));
  const name = JSON.stringify(model);
  return modelSpans.map(({ start, end }) => {
    // A new member is never the only one: every API demands another field.
    return { start, end, text: start === end ? `"model":${name},` : name };
  });
}

/** A new member is never the only one, and stands before all others. */
function stateEdits(
  { body, conversationSpan }: Payload,
  { responseId, conversation }: BodyChange,
): Edit[] {
  const edits: Edit[] = [];
  if (responseId !== undefined) {
    const start = body.indexOf("{") + 1;
    edits.push({ start, end: start, text: `"request_id":${JSON.stringify(responseId)},` });
  }
  if (conversation !== undefined && conversationSpan !== undefined) {
    const { start, end } = conversationSpan;
    const text = body.toString("utf8", start, end);
    edits.push({ start, end, text: text.replace(conversation.from, conversation.to) });
  }
  return edits;
}
