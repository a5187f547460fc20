import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { limits } from "../../limits.ts";
import type { ByteSpan } from "./byte-span.ts";
import { type EngineField, engineFieldPrefix, engineFieldRoles } from "./engine-fields.ts";
import { assertModelName, modelNameTooLong } from "./model-name.ts";
import { emptyPayload, type Payload, unreadPayload } from "./payload.ts";

/** Whether servers read a body of this type as a multipart form. */
export const isMultipart = (contentType: string | undefined): boolean =>
  /^\s*multipart\//i.test(contentType ?? "");

/** Returns the boundary of a multipart form from its content type; undefined for other types and unusual spellings. */
export function formBoundary(contentType: string | undefined): string | undefined {
  const [, quoted, plain] = multipart.exec(contentType ?? "") ?? [];
  return quoted ?? plain;
}

// RFC 2046, 5.1.1.
const multipart =
  /^\s*multipart\/form-data\s*;\s*boundary=(?:"([\w'()+,\-./:=?]{1,70})"|([\w'()+,\-./:=?]{1,70}))\s*$/i;

interface Field {
  readonly name: string;
  readonly isFile: boolean;
  readonly value: ByteSpan;
}

/**
 * Returns the payload of a multipart form, such as an audio upload, whose field `model` names the model. A form in an
 * unusual format counts as unread, since servers differ in how they read it.
 * @throws RequestError BadRequest if the form has two models, or one that is not a name
 */
export function formPayload(parser: string, body: Buffer, boundary: string): Payload {
  const fields = fieldsOf(body, boundary);
  if (typeof fields === "string")
    return unreadPayload(parser, body, `the multipart form ${fields}`);
  const models = fields.filter(({ name }) => name === "model");
  if (models.length > 1) throw refusal(`has ${models.length} fields named model; send one`);
  const [model] = models;
  if (model?.isFile) throw refusal("has a file named model; send the model's name as a field");
  if (model !== undefined && model.value.end - model.value.start > limits.modelName.value)
    throw modelNameTooLong();
  const text = (field: Field | undefined) =>
    field && body.toString("utf8", field.value.start, field.value.end);
  const name = text(model);
  if (name !== undefined) assertModelName(name);
  return {
    ...emptyPayload(parser, body),
    isForm: true,
    model: name,
    modelSpans: models.map(({ value }) => value),
    engineFields: fields.flatMap(engineFieldOf),
    streaming: text(fields.find((field) => field.name === "stream")) === "true",
  };
}

/** A form field is reserved for infrastructure if a part of its name is: `extra_body[kv_transfer_params]`. */
function engineFieldOf({ name, value }: Field): readonly EngineField[] {
  const isEngines = name
    .split(/[[\].]/)
    .some((part) => engineNames.has(part) || part.startsWith(engineFieldPrefix));
  return isEngines ? [{ name, keyStart: value.start, ...value }] : [];
}

/** Includes the objects that may contain such fields, since their values are not parsed in a form. */
const engineNames: ReadonlySet<string> = new Set(engineFieldRoles.map(([name]) => name));

/** Returns the fields of a form, or the reason that they cannot be read. */
function fieldsOf(body: Buffer, boundary: string): readonly Field[] | string {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const fields: Field[] = [];
  if (!body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2)))
    return "does not begin with the boundary of its content-type";
  let at = delimiter.length - 2;
  while (!startsAt(body, at, "--")) {
    if (fields.length >= limits.formFields.value)
      return `has more than ${limits.formFields.value} fields`;
    if (!startsAt(body, at, "\r\n")) return "has a line that begins like its boundary";
    const header = at + 2;
    const blank = body.indexOf("\r\n\r\n", header);
    if (blank < 0 || blank - header > limits.formFieldHeader.value)
      return `has a field whose headers exceed ${limits.formFieldHeader.value} bytes`;
    const start = blank + 4;
    const end = body.indexOf(delimiter, start);
    if (end < 0) return "does not end with its boundary";
    const disposition = dispositionOf(body.toString("latin1", header, blank));
    if (disposition === undefined)
      return "has a field with headers other than content-type and one content-disposition with a name";
    fields.push({ ...disposition, value: { start, end } });
    at = end + delimiter.length;
  }
  const rest = body.length - at - 2;
  if (rest > 2 || (rest > 0 && !startsAt(body, at + 2, "\r\n")))
    return "has data after its last boundary";
  return fields;
}

const startsAt = (body: Buffer, at: number, text: string) =>
  body.toString("latin1", at, at + text.length) === text;

const disposition =
  /^content-disposition: ?form-data; ?name="([^"\\\r\n]*)"(; ?filename="[^"\\\r\n]*")?(; ?filename\*=[^";\\\s]*)?$/i;

/** Headers that clients write in addition to the disposition. Servers read none of them. */
const otherHeader = /^content-(?:type|length): ?[^\r\n]*$/i;

function dispositionOf(head: string): Pick<Field, "name" | "isFile"> | undefined {
  let found: Pick<Field, "name" | "isFile"> | undefined;
  for (const line of head.split("\r\n")) {
    const [all, name = "", file, encodedFile] = disposition.exec(line) ?? [];
    if (all !== undefined && found === undefined)
      found = {
        name: Buffer.from(name, "latin1").toString(),
        isFile: (file ?? encodedFile) !== undefined,
      };
    else if (!otherHeader.test(line)) return undefined;
  }
  return found;
}

const refusal = (what: string) => new RequestError("BadRequest", `the multipart form ${what}`);
