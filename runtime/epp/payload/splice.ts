import { cutsOf, type Edit, spliced } from "./member-edit.ts";
import type { Payload } from "./payload.ts";

/** Changes to a body. All other bytes stay as the client sent them. */
export interface BodyChange {
  /** Model requested from the server; undefined keeps the model that the client named. */
  readonly model?: string | undefined;
  /** Whether to remove the fields that only infrastructure may set. */
  readonly withoutEngineFields?: boolean | undefined;
  /** Response id to add as member `request_id`. */
  readonly responseId?: string | undefined;
  /** Id to replace in member `conversation`. */
  readonly conversation?: { readonly from: string; readonly to: string } | undefined;
}

/** Returns the body with its changes; the same buffer if there are none. A body that was not read stays unchanged. */
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
    // Another member follows: every API requires one.
    return { start, end, text: start === end ? `"model":${name},` : name };
  });
}

/** A new member is written before the existing members. There is always at least one. */
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
